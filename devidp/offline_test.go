package devidp

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// refreshWeb uses a refresh token of the web client.
func (w *world) refreshWeb(token string) answer {
	return w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", token))
}

// offlineTokens signs a station in and returns its tokens.
func (w *world) offlineTokens() answer {
	w.Helper()
	q := w.browser().signIn("station", "shelves", with(authQuery("library-web", webCallback), "scope", "openid offline_access"))
	a := w.post(pathToken, webCode(q.Get("code")))
	if a.StatusCode != http.StatusOK {
		w.Fatalf("got %d %s", a.StatusCode, a.text)
	}
	return a
}

func TestAnOfflineTokenIsGoodForDaysAndAcrossARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	keys, err := OpenKeys(path)
	testkit.NoError(t, err)
	w := newWorld(t, func(o *Options) { o.Keys = keys })
	a := w.offlineTokens()
	testkit.Equal(t, a.str("scope"), "email profile openid offline_access", "the scope")
	for range 72 / 9 {
		w.clock.Advance(9 * time.Hour)
		if a = w.refreshWeb(a.str("refresh_token")); a.StatusCode != http.StatusOK || !w.active(a.str("access_token")) {
			t.Fatalf("after hours: %d %s", a.StatusCode, a.text)
		}
	}
	keys, err = OpenKeys(path)
	testkit.NoError(t, err)
	again := newWorld(t, func(o *Options) { o.Keys, o.Now = keys, w.clock.Now })
	if a = again.refreshWeb(a.str("refresh_token")); a.StatusCode != http.StatusOK {
		t.Fatalf("after a restart: %d %s", a.StatusCode, a.text)
	}
	w.clock.Advance(offlineLifetime)
	again.refused(again.refreshWeb(a.str("refresh_token")), 400, "invalid_grant")
}

func TestAnOfflineTokenIsRefused(t *testing.T) {
	t.Parallel()
	refuse := func(w *world, token string) { w.T.Helper(); w.refused(w.refreshWeb(token), 400, "invalid_grant") }
	for name, test := range map[string]func(w *world, token string){
		"once it is revoked": func(w *world, token string) {
			w.post(pathRevoke, form("client_id", "library-web", "token", token))
			refuse(w, token)
		},
		"not when another client revokes it": func(w *world, token string) {
			w.post(pathRevoke, form("client_id", "library-cli", "token", token))
			testkit.Equal(w.T, w.refreshWeb(token).StatusCode, 200, "status")
		},
		"of another client": func(w *world, token string) {
			w.refused(w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-cli", "refresh_token", token)), 400, "invalid_grant")
		},
		"of an account that is removed": func(w *world, token string) {
			cfg := DefaultConfig()
			cfg.Users = cfg.Users[:1]
			testkit.NoError(w.T, w.provider.Reload(cfg))
			refuse(w, token)
		},
		"as an access token": func(w *world, token string) {
			testkit.Equal(w.T, w.userinfo("Bearer "+token).StatusCode, 401, "status")
		},
		"of another provider's keys": func(w *world, token string) {
			keys, err := OpenKeys("")
			testkit.NoError(w.T, err)
			refuse(newWorld(w.T, func(o *Options) { o.Keys, o.Now = keys, w.clock.Now }), token)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			test(w, w.offlineTokens().str("refresh_token"))
		})
	}
}
