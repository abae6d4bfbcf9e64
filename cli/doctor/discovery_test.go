package doctor

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

// startProvider starts a provider without some members in its discovery document.
func startProvider(t *testing.T, without ...string) string {
	t.Helper()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := "http://" + r.Host
		w.Header().Set("Content-Type", "application/json")
		document := map[string]string{"issuer": at, "authorization_endpoint": at + "/auth", "token_endpoint": at + "/token", "jwks_uri": at + "/keys"}
		for _, member := range without {
			delete(document, member)
		}
		_ = json.NewEncoder(w).Encode(document)
	}))
	t.Cleanup(provider.Close)
	return provider.URL
}

func TestADiscoveryDocumentThatCannotBeUsedIsExplained(t *testing.T) {
	t.Parallel()
	const correct = "have to correct what is at"
	for _, c := range []struct{ rule, issuer, finding, advice string }{
		{"no token endpoint", startProvider(t, "token_endpoint"), "the document has no token_endpoint", correct},
		{"no keys", startProvider(t, "jwks_uri"), "the document has no jwks_uri", correct},
		{"no issuer", startProvider(t, "issuer"), "the document names no issuer", correct},
		{"no page to sign in", startProvider(t, "authorization_endpoint"), "the document has no authorization_endpoint", "have to add it"},
		{"another name", startProvider(t) + "/", "without the slash at the end", "Use the same spelling"},
		{"a placeholder", "https://login.example/<TENANT-ID>/v2.0", "has the placeholder <TENANT-ID> in it", "Replace it with your value"},
		{"a placeholder for a host", "https://{host}/v2.0", "has the placeholder {host} in it", "Replace it with your value"},
	} {
		exit, stdout, _ := clitest.Run(t, program, map[string]string{
			"LIBRARY_SERVER": "http://" + testkit.NobodyListens, "LIBRARY_ISSUER": c.issuer, "LIBRARY_CONFIG_DIR": t.TempDir(),
		}, "", "doctor")
		found := false
		for line := range strings.Lines(stdout) {
			found = found || strings.HasPrefix(line, "!!\t") && strings.Contains(line, c.finding) && strings.Contains(line, c.advice)
		}
		if exit != command.ExitFailed || !found {
			t.Errorf("%s: %d\n%s", c.rule, exit, stdout)
		}
	}
}
