package devidp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func logoutAddress(pairs ...string) string { return at(pathLogout) + "?" + form(pairs...).Encode() }

// signedOut reports whether the browser has no session and its tokens are
// worth nothing.
func (b *browser) signedOut(tokens answer) bool {
	b.Helper()
	refreshed := b.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", tokens.str("refresh_token")))
	access := b.active(tokens.str("access_token"))
	probe := &browser{world: b.world, cookies: map[string]string{cookieSession: b.cookies[cookieSession]}}
	probe.get(authAddress(authQuery("library-web", webCallback, "prompt", "none")))
	session := probe.returned().Has("code")
	if (refreshed.StatusCode == http.StatusOK) != session || access != session {
		b.Errorf("half signed out: refresh %d, access %v, session %v", refreshed.StatusCode, access, session)
	}
	return !session
}

func TestLogout(t *testing.T) {
	t.Parallel()
	const gone, asks, stays = "signed out", "asks first", "error page"
	for _, tt := range []struct {
		name   string
		pairs  func(tokens answer, others string) []string
		want   string
		target string
	}{
		{"with an ID token", func(a answer, _ string) []string { return []string{"id_token_hint", a.str("id_token")} }, gone, ""},
		{
			"with an ID token and an address",
			func(a answer, _ string) []string {
				return []string{"id_token_hint", a.str("id_token"), "post_logout_redirect_uri", webCallback, "state", "a&b"}
			},
			gone, webCallback + "?state=a%26b",
		},
		{"with nothing", func(answer, string) []string { return nil }, asks, ""},
		{"with a client and an address", func(answer, string) []string {
			return []string{"client_id", "library-web", "post_logout_redirect_uri", webCallback}
		}, asks, webCallback},
		{"with another person's ID token", func(_ answer, others string) []string { return []string{"id_token_hint", others} }, asks, ""},
		{"with an access token as hint", func(a answer, _ string) []string { return []string{"id_token_hint", a.str("access_token")} }, asks, ""},
		{"with garbage as hint", func(answer, string) []string { return []string{"id_token_hint", "x.y.z"} }, asks, ""},
		{"to an address that is not registered", func(a answer, _ string) []string {
			return []string{"id_token_hint", a.str("id_token"), "post_logout_redirect_uri", "https://evil.example/"}
		}, stays, ""},
		{"to an address that nearly matches", func(a answer, _ string) []string {
			return []string{"id_token_hint", a.str("id_token"), "post_logout_redirect_uri", "http://localhost:4200"}
		}, stays, ""},
		{"to an address without a client", func(answer, string) []string { return []string{"post_logout_redirect_uri", webCallback} }, stays, ""},
		{"to an address of another client", func(answer, string) []string {
			return []string{"client_id", "library-cli", "post_logout_redirect_uri", webCallback}
		}, stays, ""},
		{"with a client that is not that of the ID token", func(a answer, _ string) []string {
			return []string{"id_token_hint", a.str("id_token"), "client_id", "library-cli"}
		}, stays, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			b := w.browser()
			tokens := b.webTokens()
			a := b.get(logoutAddress(tt.pairs(tokens, w.login("ckent", "openid").str("id_token"))...))
			switch tt.want {
			case stays:
				if a.StatusCode != http.StatusBadRequest || a.Header.Get("Location") != "" || b.signedOut(tokens) {
					t.Errorf("got %d %v", a.StatusCode, a.Header)
				}
				return
			case asks:
				if !strings.Contains(a.text, "Sign out?") || b.signedOut(tokens) {
					t.Fatalf("not asked: %d %s", a.StatusCode, a.text)
				}
				b.page = a
				a = b.submit()
			}
			if a.Header.Get("Location") != tt.target || (tt.target == "") != strings.Contains(a.text, "You are signed out") {
				t.Errorf("got %d %v", a.StatusCode, a.Header)
			}
			if b.cookies[cookieSession] != "" || !b.signedOut(tokens) {
				t.Error("not signed out")
			}
		})
	}
}

func TestLogoutWithAnExpiredTokenAndWithoutACookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	tokens := b.webTokens()
	w.clock.Advance(tokenLifetime)
	w.browser().get(logoutAddress("id_token_hint", tokens.str("id_token")))
	if b.get(authAddress(authQuery("library-web", webCallback, "prompt", "none"))); b.returned().Get("error") != "login_required" {
		t.Error("the session goes on")
	}
}

func TestLogoutFormCannotBeForged(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	tokens := b.webTokens()
	for _, v := range []url.Values{form("form", "x"), form("form", "x", "page", "logout")} {
		a := b.send(formRequest(at(pathLogout)+"?", v.Encode()))
		testkit.Equal(t, a.StatusCode, http.StatusBadRequest)
	}
	if b.signedOut(tokens) {
		t.Error("signed out")
	}
}
