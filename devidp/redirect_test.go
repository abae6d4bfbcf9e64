package devidp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestRequestsThatMayBeAnAttackersAreNeverRedirected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := authQuery("library-web", webCallback)
	for name, query := range map[string]string{
		"no client":               with(good, "client_id", "").Encode(),
		"unknown client":          with(good, "client_id", "nobody").Encode(),
		"no redirect URI":         with(good, "redirect_uri", "").Encode(),
		"another client's":        with(good, "redirect_uri", callback).Encode(),
		"two clients":             good.Encode() + "&client_id=library-web",
		"two redirect URIs":       good.Encode() + "&redirect_uri=" + url.QueryEscape(webCallback),
		"broken encoding":         good.Encode() + "&x=%zz",
		"semicolons":              good.Encode() + ";x=y",
		"too long":                good.Encode() + "&x=" + strings.Repeat("x", maxQuery),
		"nothing":                 "",
		"unknown client, no flow": "client_id=%00&redirect_uri=javascript:alert(1)",
	} {
		b := w.browser()
		a := b.get(at(pathAuth) + "?" + query)
		if a.StatusCode != http.StatusBadRequest || a.Header.Get("Location") != "" || !strings.Contains(a.text, "<h1>This sign-in cannot continue</h1>") {
			t.Errorf("%s: %d %v %s", name, a.StatusCode, a.Header, a.text)
		}
	}
}

func TestRedirectURIsMatchExactly(t *testing.T) {
	t.Parallel()
	cli := []string{"http://127.0.0.1/callback", "http://[::1]/callback?x=1"}
	web := []string{"http://localhost:4200/"}
	for _, tt := range []struct {
		registered []string
		uri        string
		want       bool
	}{
		{web, "http://localhost:4200/", true},
		{web, "http://localhost:4200", false},
		{web, "http://localhost:4201/", false},
		{web, "http://LOCALHOST:4200/", false},
		{web, "HTTP://localhost:4200/", false},
		{web, "https://localhost:4200/", false},
		{web, "http://localhost:4200/x", false},
		{web, "http://localhost:4200/?x=1", false},
		{web, "http://localhost:4200/#x", false},
		{web, "http://localhost:4200/.", false},
		{web, "http://localhost:4200//", false},
		{web, "http://localhost:4200/%2e", false},
		{web, "http://localhost:4200@evil.example/", false},
		{web, "http://evil.example/http://localhost:4200/", false},
		{web, " http://localhost:4200/", false},
		{web, "http://127.0.0.1:4200/", false},
		{cli, "http://127.0.0.1/callback", true},
		{cli, "http://127.0.0.1:1/callback", true},
		{cli, "http://127.0.0.1:65535/callback", true},
		{cli, "http://[::1]:5000/callback?x=1", true},
		{cli, "http://[::1]:5000/callback", false},
		{cli, "http://127.0.0.1:/callback", false},
		{cli, "http://127.0.0.1:0/callback", false},
		{cli, "http://127.0.0.1:080/callback", false},
		{cli, "http://127.0.0.1:65536/callback", false},
		{cli, "http://127.0.0.1:99999999999999999999/callback", false},
		{cli, "http://127.0.0.1:+80/callback", false},
		{cli, "http://127.0.0.1:80", false},
		{cli, "http://127.0.0.1:80/callback/", false},
		{cli, "http://127.0.0.1:80/callback?x=1", false},
		{cli, "http://127.0.0.1:80/callback#x", false},
		{cli, "http://127.0.0.1:80/Callback", false},
		{cli, "http://127.0.0.1:80/%63allback", false},
		{cli, "http://127.0.0.1:80//callback", false},
		{cli, "http://127.0.0.1:80@evil.example/callback", false},
		{cli, "http://127.0.0.1:80\\@evil.example/callback", false},
		{cli, "http://user@127.0.0.1:80/callback", false},
		{cli, "http://localhost:80/callback", false},
		{cli, "http://127.0.0.2:80/callback", false},
		{cli, "http://127.1:80/callback", false},
		{cli, "http://127.0.0.1.evil.example:80/callback", false},
		{cli, "https://127.0.0.1:80/callback", false},
		{cli, "http://127.0.0.1:٨٠/callback", false},
		{cli, "", false},
		{nil, "http://127.0.0.1:80/callback", false},
	} {
		testkit.Equal(t, redirectAllowed(tt.registered, tt.uri), tt.want, tt.uri)
	}
}

func TestRedirectKeepsTheQueryOfTheRegisteredAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withConfig(func(c *Config) { c.Clients[1].RedirectURIs = []string{"https://app.example/cb?tenant=1"} }))
	b := w.browser()
	a := b.get(authAddress(authQuery("library-web", "https://app.example/cb?tenant=1", "prompt", "none")))
	if !strings.HasPrefix(a.Header.Get("Location"), "https://app.example/cb?tenant=1&error=login_required") {
		t.Errorf("got %s", a.Header.Get("Location"))
	}
}
