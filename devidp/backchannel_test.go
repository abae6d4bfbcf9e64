package devidp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/library/internal/testkit"
)

func TestClientsOfAnEndedSessionGetALogoutToken(t *testing.T) {
	t.Parallel()
	var told []logoutClaims
	var w *world
	client := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var c logoutClaims
		testkit.Equal(t, r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
		testkit.NoError(t, w.provider.keys.verify(r.PostFormValue("logout_token"), w.clock.Now(), &c))
		if told = append(told, c); len(told) > 1 {
			rw.WriteHeader(http.StatusServiceUnavailable) // the person is signed out all the same
		}
	}))
	t.Cleanup(client.Close)
	w = newWorld(t, withConfig(func(c *Config) {
		for i := range c.Clients {
			if c.Clients[i].ID == "library-web" || c.Clients[i].ID == "library-cli" {
				c.Clients[i].BackchannelLogoutURI = client.URL
			}
		}
	}))
	b := w.browser()
	tokens := b.webTokens()
	var access accessClaims
	testkit.NoError(t, w.provider.keys.verify(tokens.str("access_token"), w.clock.Now(), &access))
	b.get(logoutAddress("id_token_hint", tokens.str("id_token")))
	if len(told) != 1 {
		t.Fatalf("%d logout tokens, want one for the client with tokens", len(told))
	}
	c := told[0]
	_, isLogout := c.Events[logoutEvent]
	if c.Session != access.Session || c.Subject != access.Subject || c.Audience != "library-web" || c.Issuer != DefaultIssuer || !isLogout || c.ID == "" ||
		c.IssuedAt != w.clock.Now().Unix() || c.Expires <= c.IssuedAt {
		t.Errorf("the logout token is %+v", c)
	}
	b.get(logoutAddress("id_token_hint", tokens.str("id_token")))
	testkit.Equal(t, len(told), 1, "a session ends once")
	other := w.browser()
	tokens = other.webTokens()
	other.get(logoutAddress("id_token_hint", tokens.str("id_token")))
	if len(told) != 2 || !other.signedOut(tokens) {
		t.Errorf("%d logout tokens, or not signed out", len(told))
	}
}
