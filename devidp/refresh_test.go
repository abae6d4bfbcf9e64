package devidp

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestRefreshTokensRotate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.login("bwayne", "")
	for range 3 {
		w.clock.Advance(1799 * time.Second)
		next := w.refresh(a.str("refresh_token"))
		if next.StatusCode != http.StatusOK || next.str("refresh_token") == a.str("refresh_token") {
			t.Fatalf("got %d %s", next.StatusCode, next.text)
		}
		testkit.Equal(t, next.str("session_state"), a.str("session_state"), "the session")
		a = next
	}
	w.clock.Advance(1800 * time.Second)
	w.refused(w.refresh(a.str("refresh_token")), 400, "invalid_grant")
}

func TestReuseOfARefreshTokenEndsTheTokensOfItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	first := b.webTokens()
	second := w.post(pathToken, webCode(b.anotherCode(authQuery("library-web", webCallback))))
	use := func(token string) answer {
		return w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", token))
	}
	rotated := use(first.str("refresh_token"))
	w.refused(use(first.str("refresh_token")), 400, "invalid_grant")
	for name, a := range map[string]answer{"the family": rotated, "the other family of the session": second} {
		w.refused(use(a.str("refresh_token")), 400, "invalid_grant")
		if w.active(a.str("access_token")) {
			t.Errorf("an access token of %s is still good", name)
		}
	}
}

func TestOfManyRefreshesAtOnceOneSucceeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.login("bwayne", "").str("refresh_token")
	var successes atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if w.refresh(token).StatusCode == http.StatusOK {
				successes.Add(1)
			}
		})
	}
	all.Wait()
	testkit.Equal(t, successes.Load(), 1, "refreshes succeeded")
}

func TestRefreshTokensOfOthersAndForgedOnesDoNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.login("bwayne", "").str("refresh_token")
	family, _, _ := strings.Cut(token, ".")
	forged := []string{"x", "..", family + ".0.x", family + ".1." + strings.Repeat("A", 43), token + "x", strings.Replace(token, ".1.", ".01.", 1),
		newSeal().refreshToken(family, 0)}
	for _, f := range forged {
		w.refused(w.refresh(f), 400, "invalid_grant")
	}
	w.refused(w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-cli", "refresh_token", token)), 400, "invalid_grant")
	access := w.refresh(token)
	if access.StatusCode != http.StatusOK {
		t.Errorf("the family has ended: %s", access.text)
	}
	w.refused(w.refresh(access.str("access_token")), 400, "invalid_grant")
}

func TestRefreshMayNarrowTheScopeForOneToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.login("bwayne", "openid")
	narrow := w.post(pathToken, asClient("grant_type", "refresh_token", "refresh_token", a.str("refresh_token"), "scope", "email"))
	if narrow.str("scope") != "email" || narrow.str("id_token") != "" {
		t.Errorf("got %s", narrow.text)
	}
	if c := w.claims(narrow.str("access_token")); c["name"] != nil || c["email"] == nil {
		t.Errorf("claims %v", c)
	}
	if wide := w.refresh(narrow.str("refresh_token")); wide.str("scope") != a.str("scope") {
		t.Errorf("the narrow scope stayed: %s", wide.text)
	}
}

func TestReloadTakesEffectAtTheNextRefresh(t *testing.T) {
	t.Parallel()
	change := func(change func(*Config)) Config {
		cfg := DefaultConfig()
		change(&cfg)
		return cfg
	}
	for _, tt := range []struct {
		name   string
		config Config
		scope  string
		error  string
	}{
		{"who left a group loses its scope", change(func(c *Config) { c.Users[0].Groups = nil }), "email profile", ""},
		{"who joined a group gains its scope", change(func(c *Config) { c.Users[0].Groups = []string{scopeUser, scopeAdmin, "other"} }), "library_user library_admin email profile", ""},
		{"who was removed gets nothing", change(func(c *Config) { c.Users = c.Users[1:] }), "", "invalid_grant"},
		{"a removed client gets nothing", change(func(c *Config) { c.Clients = c.Clients[1:] }), "", "invalid_client"},
		{"a client that lost the grant gets nothing", change(func(c *Config) {
			c.Clients[0].Grants = slices.DeleteFunc(c.Clients[0].Grants, func(g string) bool { return g == grantRefresh })
		}), "", "unauthorized_client"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			a := w.login("bwayne", "")
			testkit.NoError(t, w.provider.Reload(tt.config))
			got := w.refresh(a.str("refresh_token"))
			if got.str("error") != tt.error || got.str("scope") != tt.scope {
				t.Errorf("got %s", got.text)
			}
		})
	}
}

func TestReloadOfAFaultyConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.provider.Reload(Config{}); err == nil {
		t.Error("no error")
	}
	w.login("bwayne", "")
}
