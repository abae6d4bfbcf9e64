package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/library/cli/clitest"
)

func TestTheSetUpOfLogoutsIsLookedAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule        string
		takes       int // the status of POST /logout
		sends, want string
	}{
		{"both", 400, "true", "ok\tlogout\ta session that ends"},
		{"nobody sends", 400, "false", "!!\tlogout\tthe library waits for logout tokens"},
		{"nobody takes", 401, "true", ""},
	} {
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at := "http://" + r.Host
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"jwks_uri":%q,"backchannel_logout_supported":%s}`, at, at+"/a", at+"/t", at+"/k", c.sends)
		}))
		t.Cleanup(provider.Close)
		library := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			if r.URL.Path == "/logout" && r.Method == http.MethodPost {
				w.WriteHeader(c.takes)
				fmt.Fprint(w, `{"error":"invalid_request","error_description":"The form must have one logout_token"}`)
				return
			}
			w.WriteHeader(http.StatusUnauthorized)
		}))
		t.Cleanup(library.Close)
		_, stdout, _ := clitest.Run(t, program, map[string]string{
			"LIBRARY_SERVER": library.URL, "LIBRARY_ISSUER": provider.URL, "LIBRARY_CONFIG_DIR": t.TempDir(),
		}, "", "doctor")
		if c.want != "" && !strings.Contains(stdout, c.want) || c.want == "" && strings.Contains(stdout, "\tlogout\t") {
			t.Errorf("%s:\n%s", c.rule, stdout)
		}
	}
}
