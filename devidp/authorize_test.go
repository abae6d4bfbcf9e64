package devidp

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestErrorsGoBackToTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		name  string
		pairs []string
		error string
	}{
		{"no response type", []string{"response_type", ""}, "invalid_request"},
		{"implicit flow", []string{"response_type", "token"}, "unsupported_response_type"},
		{"hybrid flow", []string{"response_type", "code id_token"}, "unsupported_response_type"},
		{"no PKCE", []string{"code_challenge", "", "code_challenge_method", ""}, "invalid_request"},
		{"plain PKCE", []string{"code_challenge_method", "plain"}, "invalid_request"},
		{"PKCE without a method", []string{"code_challenge_method", ""}, "invalid_request"},
		{"PKCE method without a challenge", []string{"code_challenge", ""}, "invalid_request"},
		{"malformed challenge", []string{"code_challenge", "x"}, "invalid_request"},
		{"malformed scope", []string{"scope", "\\"}, "invalid_scope"},
		{"unknown prompt", []string{"prompt", "create"}, "invalid_request"},
		{"contradictory prompt", []string{"prompt", "none login"}, "invalid_request"},
		{"long nonce", []string{"nonce", strings.Repeat("x", maxNonce+1)}, "invalid_request"},
		{"prompt=none without a login", []string{"prompt", "none"}, "login_required"},
	} {
		b := w.browser()
		a := b.get(authAddress(authQuery("library-web", webCallback, tt.pairs...)))
		if !strings.HasPrefix(a.Header.Get("Location"), webCallback+"?") {
			t.Fatalf("%s: %d %v", tt.name, a.StatusCode, a.Header)
		}
		if q := b.returned(); q.Get("error") != tt.error || q.Get("state") != "st&te" || q.Get("iss") != DefaultIssuer || q.Has("code") {
			t.Errorf("%s: %v", tt.name, q)
		}
	}
	t.Run("a repeated parameter", func(t *testing.T) {
		b := w.browser()
		b.get(authAddress(authQuery("library-web", webCallback)) + "&state=other")
		if q := b.returned(); q.Get("error") != "invalid_request" || q.Has("state") {
			t.Errorf("got %v", q)
		}
	})
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	const login, consent, code = "Sign in", "Allow access?", "code"
	for _, tt := range []struct {
		name  string
		wait  time.Duration
		pairs []string
		want  string
	}{
		{"a session is enough", 0, nil, code},
		{"prompt=none with a session", 0, []string{"prompt", "none"}, code},
		{"prompt=login asks again", 0, []string{"prompt", "login"}, login},
		{"prompt=consent asks again", 0, []string{"prompt", "consent"}, consent},
		{"an idle session has ended", 1800 * time.Second, nil, login},
		{"an idle session has ended, silently", 1800 * time.Second, []string{"prompt", "none"}, "login_required"},
		{"another client has no consent", 0, []string{"client_id", "library-cli", "redirect_uri", cliCallback}, consent},
		{"another client has no consent, silently", 0, []string{"client_id", "library-cli", "redirect_uri", cliCallback, "prompt", "none"}, "consent_required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newWorld(t).browser()
			b.webTokens()
			b.clock.Advance(tt.wait)
			a := b.get(authAddress(authQuery("library-web", webCallback, tt.pairs...)))
			got := ""
			if a.StatusCode == http.StatusOK {
				got = strings.TrimSuffix(strings.SplitAfter(a.text, "<h1>")[1], "</h1>")
				got, _, _ = strings.Cut(got, "<")
			} else if q := b.returned(); q.Has("code") {
				got = code
			} else {
				got = q.Get("error")
			}
			testkit.Equal(t, got, tt.want)
		})
	}
}

func TestPromptLoginGivesAFreshLogin(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	first := b.webTokens()
	before := b.cookies[cookieSession]
	b.clock.Advance(time.Minute)
	second := b.webTokens("prompt", "login")
	if b.cookies[cookieSession] == before {
		t.Error("the secret of the session has stayed the same over a login")
	}
	one, two := b.claims(first.str("id_token")), b.claims(second.str("id_token"))
	if one["sid"] != two["sid"] || two["auth_time"].(float64)-one["auth_time"].(float64) != 60 {
		t.Errorf("first %v, second %v", one, two)
	}
	if !b.active(second.str("access_token")) {
		t.Error("the session of the same person has not gone on")
	}
}

func TestLoginOfAnotherPersonEndsTheSession(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	first := b.webTokens()
	q := b.signIn("ckent", "kent", authQuery("library-web", webCallback, "prompt", "login"))
	if q.Get("session_state") == first.str("session_state") || b.active(first.str("access_token")) {
		t.Error("the session of the first person goes on")
	}
}

func TestPlantedSessionCookieIsWorthNothing(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.cookies[cookieSession] = "planted"
	b.webTokens()
	if b.cookies[cookieSession] == "planted" {
		t.Error("the login has taken over a cookie that was there before")
	}
}

func TestBusyBrowserHasToLogInAgainEventually(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.webTokens()
	for range 20 {
		b.clock.Advance(29 * time.Minute)
		b.get(authAddress(authQuery("library-web", webCallback, "prompt", "none")))
	}
	if !b.returned().Has("code") {
		t.Errorf("after 9:40 hours: %v", b.returned())
	}
	b.clock.Advance(21 * time.Minute)
	b.get(authAddress(authQuery("library-web", webCallback, "prompt", "none")))
	if b.returned().Get("error") != "login_required" {
		t.Errorf("after ten hours: %v", b.returned())
	}
}

// A page that is the answer to a form cannot be gone back to or reloaded
// without sending the password again.
func TestLoginLeadsToAPageOfItsOwn(t *testing.T) {
	t.Parallel()
	for prompt, status := range map[string]int{
		"":      http.StatusSeeOther,
		"login": http.StatusOK, // its page would ask for the login again
	} {
		b := newWorld(t).browser()
		b.get(authAddress(authQuery(confidential, callback, "prompt", prompt)))
		action, v := b.filled("username", "bwayne", "password", "wayne")
		if a := b.send(formRequest(action, v.Encode())); a.StatusCode != status {
			t.Errorf("prompt %q: %d", prompt, a.StatusCode)
		}
		if a := b.follow(); !strings.Contains(a.text, "Allow access?") {
			t.Errorf("prompt %q: %s", prompt, a.text)
		}
	}
}

func TestDeniedConsent(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery("library-cli", cliCallback)))
	b.submit("username", "bwayne", "password", "wayne")
	a := b.submit("decision", "deny")
	if q := b.returned(); q.Get("error") != "access_denied" || q.Get("state") != "st&te" || !strings.HasPrefix(a.Header.Get("Location"), cliCallback+"?") {
		t.Errorf("got %v", a.Header)
	}
	if a := b.get(authAddress(authQuery("library-cli", cliCallback))); !strings.Contains(a.text, "Allow access?") {
		t.Error("a denied consent counts as given")
	}
}
