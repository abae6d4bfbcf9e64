//go:build keycloak

package keycloak

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// loginFlows are the ways through the login page.
func loginFlows(scope string) map[string]flow {
	plain := newFlow("library-client", "http://localhost:9090/callback", scope)
	plain.verifier = ""
	return map[string]flow{
		"library-client":           plain,
		"library-client with PKCE": newFlow("library-client", "http://localhost:9090/library-client/login/oauth2/code/keycloak", scope),
		"library-web":              newFlow("library-web", "http://localhost:4200/", scope),
		"library-cli":              newFlow("library-cli", "http://127.0.0.1:49152/callback", scope),
		"library-cli, other port":  newFlow("library-cli", "http://127.0.0.1:5555/callback", scope),
	}
}

func TestTokensOfEveryGrant(t *testing.T) {
	s := start(t)
	check := func(t *testing.T, got tokens, scope, email string) {
		t.Helper()
		c := claimsOf(t, got.Access)
		if !slices.Equal(libraryScopes(c.Scope), []string{scope}) || got.Scope != c.Scope {
			t.Errorf("scope of the token %q, of the answer %q; want %s", c.Scope, got.Scope, scope)
		}
		if !slices.Equal(c.Groups, []string{scope}) || c.Email != email || !c.Verified || c.Aud != "library-service" {
			t.Errorf("claims are %+v", c)
		}
		// Keycloak looks at the clock for each of these: a second may begin in
		// between, and what is left when it answers is less on a busy machine.
		if life := c.Exp - c.Iat; life < 300 || life > 301 || got.ExpiresIn < 290 || got.ExpiresIn > 300 || !strings.EqualFold(got.Type, "bearer") {
			t.Errorf("lifetime %d, expires_in %d, token_type %q", c.Exp-c.Iat, got.ExpiresIn, got.Type)
		}
		if who := into[me](s.get(t, got.Access, "/me").WantStatus(200)); who.Email != email {
			t.Errorf("the service thinks this is %s", who.Email)
		}
	}
	session := func(t *testing.T, got tokens) {
		t.Helper()
		if got.Refresh == "" || got.SessionState == "" || got.RefreshExpires < 1790 || got.RefreshExpires > 1800 {
			t.Errorf("refresh_expires_in %d, session_state %q", got.RefreshExpires, got.SessionState)
		}
	}
	t.Run("client credentials", func(t *testing.T) {
		got := obtain(t, clientCredentials())
		check(t, got, "library_curator", "service-account-library-client@placeholder.org")
		if got.Refresh != "" || got.SessionState != "" {
			t.Error("there is a session")
		}
	})
	t.Run("password", func(t *testing.T) {
		got := obtain(t, passwordGrant("ckent"))
		check(t, got, "library_admin", "clark.kent@example.com")
		session(t, got)
		if got.ID != "" {
			t.Error("an ID token nobody asked for")
		}
	})
	t.Run("refresh", func(t *testing.T) {
		first := obtain(t, passwordGrant("pparker"))
		second := obtain(t, refreshGrant(first.Refresh))
		check(t, second, "library_curator", "peter.parker@example.com")
		session(t, second)
		if r := ask(t, refreshGrant(first.Refresh)).WantStatus(400); into[tokens](r).Error != "invalid_grant" {
			t.Errorf("the second use of a refresh token: %s", r.Body)
		}
	})
	for name, f := range loginFlows("openid") {
		t.Run("code, "+name, func(t *testing.T) {
			got := tokensThroughLogin(t, f, "bwayne")
			check(t, got, "library_user", "bruce.wayne@example.com")
			session(t, got)
			if got.ID == "" {
				t.Error("no ID token")
			}
		})
	}
}

func TestPublicClientsNeedPKCE(t *testing.T) {
	for _, f := range []flow{
		{client: "library-web", redirect: "http://localhost:4200/", scope: "openid"},
		{client: "library-cli", redirect: "http://127.0.0.1:49152/callback", scope: "openid"},
	} {
		if q := redirected(newBrowser(t).get(f.address()), f.redirect); q.Get("error") != "invalid_request" {
			t.Errorf("%s without a challenge: %v", f.client, q)
		}
		plain := f.address() + "&code_challenge=" + strings.Repeat("x", 43) + "&code_challenge_method=plain"
		if q := redirected(newBrowser(t).get(plain), f.redirect); q.Get("error") != "invalid_request" {
			t.Errorf("%s with a plain challenge: %v", f.client, q)
		}
		f = newFlow(f.client, f.redirect, "openid")
		code := newBrowser(t).logIn(f, "bwayne").Get("code")
		f.verifier = strings.Repeat("x", 43)
		ask(t, f.exchange(code)).WantStatus(400)
	}
}

func TestUnregisteredAddressesGetNoRedirect(t *testing.T) {
	for _, f := range []flow{
		newFlow("library-client", "http://localhost:9090/", "openid"),
		newFlow("library-client", "http://localhost:9090/callback/more", "openid"),
		newFlow("library-web", "http://localhost:4200/other", "openid"),
		newFlow("library-web", "http://localhost:4201/", "openid"),
		newFlow("library-cli", "http://127.0.0.1:49152/other", "openid"),
		newFlow("library-cli", "http://127.0.0.2:49152/callback", "openid"),
		newFlow("nobody", "http://localhost:4200/", "openid"),
	} {
		newBrowser(t).get(f.address()).WantStatus(400)
	}
}

// TestBrowserClientMayAskFromItsOrigin is what the browser needs to get its
// tokens, to use them and to log out.
func TestBrowserClientMayAskFromItsOrigin(t *testing.T) {
	s := start(t)
	const web = "http://" + origin
	from := func(req *http.Request, origin string) response {
		req.Header.Set("Origin", origin)
		r, err := testkit.Send(atKeycloak, req)
		testkit.NoError(t, err)
		r.T = t
		return r
	}
	f := newFlow("library-web", web+"/", "openid")
	b := newBrowser(t)
	code := b.logIn(f, "bwayne").Get("code")
	req, _ := http.NewRequest("POST", endpoint("token"), strings.NewReader(f.exchange(code).Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r := from(req, web).WantStatus(200).WantHeader("Access-Control-Allow-Origin", web)
	got := into[tokens](r)

	for site, status := range map[string]int{web: 200, "http://evil.example.com": 403} {
		req, _ = http.NewRequest("GET", s.base+"/books", nil)
		req.Header.Set("Authorization", "Bearer "+got.Access)
		from(req, site).WantStatus(status)
	}

	q := form("id_token_hint", got.ID, "post_logout_redirect_uri", web+"/elsewhere")
	b.get(endpoint("logout") + "?" + q.Encode()).WantStatus(400)
	q.Set("post_logout_redirect_uri", web+"/")
	redirected(b.get(endpoint("logout")+"?"+q.Encode()), web+"/")
	ask(t, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", got.Refresh)).WantStatus(400)
	// Its session is over: the login page is back.
	if page := b.get(f.address()).WantStatus(200); formAction.Find(page.Body) == nil {
		t.Error("there is no login form after the logout")
	}
}
