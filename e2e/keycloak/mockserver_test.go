//go:build keycloak

package keycloak

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// startMockServer starts a mock-oauth2-server that is one issuer for each of these
// providers, whose tokens have the claims of the page. It returns its address.
func startMockServer(t testing.TB, known []testidp.Known) string {
	t.Helper()
	jars := os.Getenv("LIBRARY_TEST_MOCK_SERVER")
	if jars == "" {
		t.Fatal("This test needs mock-oauth2-server: use scripts/test-keycloak.")
	}
	var callbacks []object
	for _, k := range known {
		claims := maps.Clone(k.Token)
		for _, own := range []string{"iss", "exp", "iat", "nbf"} { // are the server's to say
			delete(claims, own)
		}
		callbacks = append(callbacks, object{"issuerId": issuerName(k), "tokenExpiry": 3600, "requestMappings": []object{
			{"requestParam": "client_id", "match": "library-web", "claims": claims},
		}})
	}
	settings, err := json.Marshal(object{"interactiveLogin": false, "tokenCallbacks": callbacks})
	testkit.NoError(t, err)
	port, err := testkit.FreePort()
	testkit.NoError(t, err)
	cmd := exec.Command("java", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(jars, "*"), "no.nav.security.mock.oauth2.StandaloneMockOAuth2ServerKt")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "JAVA_HOME=" + os.Getenv("JAVA_HOME"),
		"SERVER_HOSTNAME=127.0.0.1", "SERVER_PORT=" + strconv.Itoa(port), "JSON_CONFIG=" + string(settings)}
	process := testkit.Start(t, cmd)
	t.Cleanup(process.Kill)
	address := "http://127.0.0.1:" + strconv.Itoa(port)
	testkit.Eventually(t, "mock-oauth2-server answers", func() bool {
		resp, err := atKeycloak.Get(address + "/isalive")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return address
}

// issuerName is the provider's part of the path of its issuer.
func issuerName(k testidp.Known) string {
	return strings.ReplaceAll(strings.ToLower(k.Name), " ", "-")
}

// withUserinfo is a proxy in front of a provider. The server's userinfo endpoint checks
// the token and can only repeat it: the proxy puts in what the page says beside it.
func withUserinfo(t testing.TB, address string, answer testidp.Claims) string {
	t.Helper()
	target, err := url.Parse(address)
	testkit.NoError(t, err)
	body, err := json.Marshal(answer)
	testkit.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host },
		ModifyResponse: func(r *http.Response) error {
			if path.Base(r.Request.URL.Path) == "userinfo" && r.StatusCode == http.StatusOK {
				r.Body.Close()
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			}
			return nil
		},
	})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// TestTokensOfAMockServerLetPeopleInAsThePageOfProvidersSays is about tokens that
// somebody else's program signed, with its discovery document and its keys.
func TestTokensOfAMockServerLetPeopleInAsThePageOfProvidersSays(t *testing.T) {
	known := testidp.ReadKnown(t, "../../docs/providers.md")
	mock := startMockServer(t, known)
	tokenOf := func(t *testing.T, issuer string) string {
		r, err := postForm(atKeycloak, issuer+"/token", form("grant_type", "client_credentials", "client_id", "library-web", "client_secret", "none"))
		testkit.NoError(t, err)
		r.T = t
		return into[tokens](r.WantStatus(200)).Access
	}
	for i, k := range known {
		t.Run(k.Name, func(t *testing.T) {
			address := mock
			if k.Userinfo != nil {
				address = withUserinfo(t, mock, k.Userinfo)
			}
			issuer := address + "/" + issuerName(k)
			s := startUnready(t, "--issuer", issuer, "--config", k.ConfigFile(t, ""))
			s.awaitReady(t)
			who := into[me](s.get(t, tokenOf(t, issuer), "/me").WantStatus(200))
			if who.Email != k.Email || !slices.Contains(who.Authorities, "ROLE_"+k.Role) {
				t.Errorf("%+v, want %s with %s", who, k.Email, k.Role)
			}
			s.get(t, tokenOf(t, mock+"/"+issuerName(known[(i+1)%len(known)])), "/me").WantStatus(401)
		})
	}
}
