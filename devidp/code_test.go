package devidp

import (
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestCodeFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	q := b.signIn("bwayne", "wayne", authQuery("library-web", webCallback))
	if q.Get("state") != "st&te" || q.Get("iss") != DefaultIssuer || len(q.Get("session_state")) != 36 || q.Get("code") == "" || len(q) != 4 {
		t.Errorf("redirect with %v", q)
	}
	a := w.post(pathToken, webCode(q.Get("code")))
	if a.StatusCode != http.StatusOK || a.str("session_state") != q.Get("session_state") {
		t.Fatalf("got %d %s", a.StatusCode, a.text)
	}
	if id := w.claims(a.str("id_token")); id["nonce"] != "n-1" || id["sid"] != q.Get("session_state") || id["azp"] != "library-web" {
		t.Errorf("ID token %v", id)
	}
	refreshed := w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", a.str("refresh_token")))
	if id := w.claims(refreshed.str("id_token")); id["nonce"] != nil || id["auth_time"] == nil {
		t.Errorf("refreshed ID token %v", id)
	}
}

// Each attack uses the code once, wrongly. Nobody may use it afterwards.
func TestCodeIsBoundAndUsedUpByTheFirstAttempt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		pairs []string
		wait  time.Duration
	}{
		{"after two minutes", nil, 2 * time.Minute},
		{"by another client", []string{"client_id", confidential, "client_secret", secret}, 0},
		{"by another public client", []string{"client_id", "library-cli"}, 0},
		{"with another redirect URI", []string{"redirect_uri", "http://localhost:4200"}, 0},
		{"with a wrong verifier", []string{"code_verifier", verifier[1:] + "x"}, 0},
		{"with the challenge as verifier", []string{"code_verifier", challenge}, 0},
		{"with a short verifier", []string{"code_verifier", "x"}, 0},
		{"without a verifier", []string{"code_verifier", ""}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			code := w.browser().signIn("bwayne", "wayne", authQuery("library-web", webCallback)).Get("code")
			w.clock.Advance(tt.wait)
			w.refused(w.post(pathToken, with(webCode(code), tt.pairs...)), 400, "invalid_grant")
			w.refused(w.post(pathToken, webCode(code)), 400, "invalid_grant")
		})
	}
}

func TestCodeLivesForTwoMinutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code := w.browser().signIn("bwayne", "wayne", authQuery("library-web", webCallback)).Get("code")
	w.clock.Advance(2*time.Minute - time.Second)
	testkit.Equal(t, w.post(pathToken, webCode(code)).StatusCode, http.StatusOK)
}

func TestVerifierWithoutChallengeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := authQuery(confidential, callback, "code_challenge", "", "code_challenge_method", "")
	code := w.browser().signIn("bwayne", "wayne", q).Get("code")
	w.refused(w.post(pathToken, asClient("grant_type", "authorization_code", "code", code, "redirect_uri", callback,
		"code_verifier", verifier)), 400, "invalid_grant")
}

func TestConfidentialClientMayDoWithoutPKCE(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := form("response_type", "code", "client_id", confidential, "redirect_uri", callback)
	code := w.browser().signIn("bwayne", "wayne", q).Get("code")
	a := w.post(pathToken, asClient("grant_type", "authorization_code", "code", code, "redirect_uri", callback))
	if a.StatusCode != http.StatusOK || a.str("scope") != "library_user email profile" {
		t.Errorf("got %d %s", a.StatusCode, a.text)
	}
}

func TestSecondUseOfACodeRevokesWhatItGave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code := w.browser().signIn("bwayne", "wayne", authQuery("library-web", webCallback)).Get("code")
	a := w.post(pathToken, webCode(code))
	other := w.login("bwayne", "")
	w.clock.Advance(20 * time.Minute)
	refreshed := w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", a.str("refresh_token")))
	if !w.active(refreshed.str("access_token")) {
		t.Fatal("the tokens are not good to begin with")
	}
	w.refused(w.post(pathToken, webCode(code)), 400, "invalid_grant")
	if w.active(refreshed.str("access_token")) {
		t.Error("the access token is still good")
	}
	w.refused(w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web",
		"refresh_token", refreshed.str("refresh_token"))), 400, "invalid_grant")
	testkit.Equal(t, w.refresh(other.str("refresh_token")).StatusCode, http.StatusOK, "another login")
}

func TestOfManyRedemptionsAtOnceOneSucceeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code := w.browser().signIn("bwayne", "wayne", authQuery("library-web", webCallback)).Get("code")
	var successes atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if w.post(pathToken, webCode(code)).StatusCode == http.StatusOK {
				successes.Add(1)
			}
		})
	}
	all.Wait()
	testkit.Equal(t, successes.Load(), 1, "redemptions succeeded")
}

func TestCodeDiesWithItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	tokens := b.webTokens()
	code := b.anotherCode(authQuery("library-web", webCallback))
	b.get(at(pathLogout) + "?id_token_hint=" + tokens.str("id_token"))
	w.refused(w.post(pathToken, webCode(code)), 400, "invalid_grant")
}

// anotherCode gets another code in a session that is there already.
func (b *browser) anotherCode(q url.Values) string {
	b.Helper()
	b.get(authAddress(q))
	return b.returned().Get("code")
}
