package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/library/internal/testkit"
)

// otherName is a proxy in front of a service, with another host name and another path.
type otherName struct {
	url     string // of the API, as callers see it
	backend atomic.Pointer[url.URL]
}

func newOtherName(t testing.TB) *otherName {
	t.Helper()
	p := &otherName{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(p.backend.Load())
		if rest, isAPI := strings.CutPrefix(r.In.URL.Path, "/public"); isAPI {
			r.Out.URL.Path = basePath + rest
		} else { // such as /.well-known/…/public
			r.Out.URL.Path = r.In.URL.Path
		}
	}}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	p.url = strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/public"
	return p
}

func (p *otherName) leadTo(t testing.TB, s *server) {
	t.Helper()
	u, err := url.Parse(strings.TrimSuffix(s.base, basePath))
	testkit.NoError(t, err)
	p.backend.Store(u)
}

// terminalOf runs the program as one person, who has a folder of their own.
func terminalOf(t testing.TB) func(stdin string, args ...string) (string, error) {
	home := t.TempDir()
	return func(stdin string, args ...string) (string, error) {
		cmd := exec.Command(binary, args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "LIBRARY_CONFIG_DIR="+home, "LIBRARY_KEYRING=file", "LIBRARY_CLIENT_SECRET=9584640c-3804-4dcd-997b-93593cfb9ea7")
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// TestTheTerminalUsesBoundTokens signs in with nothing but the address of the library,
// behind a proxy, and changes something. The service takes no other tokens.
func TestTheTerminalUsesBoundTokens(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	proxy := newOtherName(t)
	service := idp.library(t, "--dpop", "required", "--dpop-nonce", "--resource-metadata", "--public-api-url", proxy.url)
	proxy.leadTo(t, service)
	library := terminalOf(t)
	for _, c := range []struct{ stdin, command, want string }{
		{"wayne\n", "login --password --username bwayne --client-id library-client --server " + proxy.url, "Signed in to"},
		{"", "whoami", "Bruce Wayne"},
		{"", "books list", "Clean Code"},
		{"", "books borrow clean", ""},
		{"", "loans list", "Clean Code"},
		{"", "token", "bound to a key"},
	} {
		out, err := library(c.stdin, strings.Fields(c.command)...)
		if err != nil || !strings.Contains(out, c.want) {
			t.Fatalf("%s: %v\n%s", c.command, err, out)
		}
	}
	stolen, err := library("", "token")
	testkit.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(stolen), "\n")
	for _, scheme := range []string{"Bearer ", "DPoP "} {
		req, _ := http.NewRequest(http.MethodGet, proxy.url+"/books", nil)
		req.Header.Set("Authorization", scheme+lines[len(lines)-1])
		resp, err := http.DefaultClient.Do(req)
		testkit.NoError(t, err)
		resp.Body.Close()
		testkit.Equal(t, resp.StatusCode, http.StatusUnauthorized, scheme)
	}
}

// A service that takes no bound tokens gets none, although the provider offers them.
func TestTheTerminalUsesBearerTokensWhereTheLibraryWantsThem(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	service := idp.library(t)
	library := terminalOf(t)
	for _, c := range []struct{ stdin, command, want string }{
		{"wayne\n", "login --password --username bwayne --client-id library-client --server " + service.base + " --issuer " + idp.issuer, "Signed in to"},
		{"", "books list", "Clean Code"},
	} {
		if out, err := library(c.stdin, strings.Fields(c.command)...); err != nil || !strings.Contains(out, c.want) {
			t.Fatalf("%s: %v\n%s", c.command, err, out)
		}
	}
}
