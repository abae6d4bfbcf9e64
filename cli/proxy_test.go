package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/internal/testidp"
)

// TestALibraryThatIsDownBehindAProxyIsReportedAsThat: nobody is sent to look for a
// mistake in the address, nor asked for a request id that there is not.
func TestALibraryThatIsDownBehindAProxyIsReportedAsThat(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	token := idp.Token(t, clitest.Reader, "library_user")
	for _, c := range []struct {
		rule, kind, body string
		status           int
		command, doctor  string
	}{
		{"a page", "text/html", "<html><h1>502 Bad Gateway</h1></html>", 502, "a proxy in front of it says 502 Bad Gateway", "a proxy answers at"},
		{"nothing", "", "", 503, "a proxy in front of it says 503 Service Unavailable", "a proxy answers at"},
		{"JSON that is not the library's", "application/json", `{"message":"no upstream"}`, 504, "a proxy in front of it says 504 Gateway Timeout", "a proxy answers at"},
		{"the library itself", "application/json", `{"status":503,"message":"The database is away.","code":"unavailable"}`, 503, "The database is away.", "cannot work now (status 503, unavailable)"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			}))
			defer proxy.Close()
			env := map[string]string{"LIBRARY_TOKEN": token, "LIBRARY_SERVER": proxy.URL + "/library-server", "LIBRARY_CONFIG_DIR": t.TempDir()}
			for _, args := range [][]string{{"books", "list"}, {"whoami"}, {"desk", "return"}} {
				code, _, stderr := clitest.Run(t, program, env, "", args...)
				if code != command.ExitFailed || !strings.Contains(stderr, c.command) {
					t.Errorf("%v: %d %s", args, code, stderr)
				}
				for _, wrong := range []string{"request id", "not the library", "heck the address", "the way of the library"} {
					if strings.Contains(stderr, wrong) {
						t.Errorf("%v says %q:\n%s", args, wrong, stderr)
					}
				}
			}
			code, stdout, _ := clitest.Run(t, program, env, "", "doctor", "--issuer", idp.Issuer())
			if code != command.ExitFailed || !strings.Contains(stdout, c.doctor) || strings.Contains(stdout, "is not the library") {
				t.Errorf("doctor: %d\n%s", code, stdout)
			}
		})
	}
}
