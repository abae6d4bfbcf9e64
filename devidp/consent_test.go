package devidp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestCodeForAnAddressThatAnyProgramCanHaveNeedsAClickEachTime(t *testing.T) {
	t.Parallel()
	config := withConfig(func(c *Config) {
		c.Clients[2].RedirectURIs = append(c.Clients[2].RedirectURIs, "com.example.app:/callback", "http://[::1]/callback", "http://127.0.0.1:7777/fixed")
		c.Clients[1].RedirectURIs = append(c.Clients[1].RedirectURIs, "http://127.0.0.1:4200/")
	})
	for client, redirects := range map[string][]string{
		"library-cli": {cliCallback, "http://[::1]:5/callback", "http://127.0.0.1:7777/fixed", "com.example.app:/callback"},
		"library-web": {"http://127.0.0.1:4200/"}, // the library's own, but who knows that here
	} {
		for _, redirect := range redirects {
			b := newWorld(t, config).browser()
			query := func(pairs ...string) url.Values { return authQuery(client, redirect, pairs...) }
			if b.signIn("bwayne", "wayne", query()).Get("code") == "" {
				t.Fatalf("%s: no code after consent", redirect)
			}
			if a := b.get(authAddress(query())); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "Allow access?") {
				t.Errorf("%s: a second code is given without a page: %d", redirect, a.StatusCode)
			}
			b.get(authAddress(query("prompt", "none")))
			if q := b.returned(); q.Get("error") != "consent_required" || q.Has("code") {
				t.Errorf("%s: silently: %v", redirect, q)
			}
		}
	}
}

func TestOtherClientsAskForConsentOncePerSession(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery(confidential, callback)))
	if a := b.submit("username", "bwayne", "password", "wayne"); !strings.Contains(a.text, "Allow access?") {
		t.Fatalf("the first time: %d %s", a.StatusCode, a.text)
	}
	b.submit("decision", "allow")
	if b.get(authAddress(authQuery(confidential, callback))); !b.returned().Has("code") {
		t.Error("the second time there is no code")
	}
}

func TestOwnBrowserClientAsksForNoConsent(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery("library-web", webCallback)))
	if b.submit("username", "bwayne", "password", "wayne"); !b.returned().Has("code") {
		t.Errorf("no code after the login: %v", b.returned())
	}
	if b.get(authAddress(authQuery("library-web", webCallback, "prompt", "none"))); !b.returned().Has("code") {
		t.Errorf("silently: %v", b.returned())
	}
	if a := b.get(authAddress(authQuery("library-web", webCallback, "prompt", "consent"))); !strings.Contains(a.text, "Allow access?") {
		t.Error("a client that wants the page does not get it")
	}
}
