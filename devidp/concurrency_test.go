package devidp

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"example.org/library/internal/testkit"
)

// Everything at once, for the race detector.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	keys, err := OpenKeys("")
	testkit.NoError(t, err)
	w := newWorld(t, func(o *Options) { o.Keys = keys })
	shared := w.browser().webTokens()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			b := w.browser()
			for range 5 {
				tokens := b.webTokens("prompt", "login")
				b.active(tokens.str("access_token"))
				b.get(at(pathLogout) + "?id_token_hint=" + tokens.str("id_token"))
			}
		})
		all.Go(func() {
			token := w.login("ckent", "openid").str("refresh_token")
			for range 5 {
				a := w.refresh(token)
				if a.StatusCode != http.StatusOK {
					t.Errorf("refresh: %s", a.text)
				}
				token = a.str("refresh_token")
			}
		})
		all.Go(func() {
			for range 5 {
				w.post(pathRevoke, form("client_id", "library-web", "token", shared.str("access_token")))
				w.userinfo("Bearer " + shared.str("access_token"))
				w.do(httptest.NewRequest(http.MethodGet, at(pathKeys), nil))
				if err := w.provider.Reload(DefaultConfig()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() {
		if err := w.provider.Rotate(); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
}
