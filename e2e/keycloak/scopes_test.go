//go:build keycloak

package keycloak

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// wishes are scopes that somebody without a right to them may ask for.
var wishes = []string{
	"library_admin", "library_admin library_curator library_user", "openid library_admin", "library_admin library_admin",
	"LIBRARY_ADMIN", "library_admin:x", "roles library_admin", "offline_access library_admin", "*", "groups",
}

// TestNobodyGetsAScopeByAsking: Keycloak refuses a wish or leaves out of it
// what the user has no role for, whichever grant it is.
func TestNobodyGetsAScopeByAsking(t *testing.T) {
	s := start(t)
	refusedWishes := 0
	check := func(t *testing.T, r response, want string) {
		t.Helper()
		if r.Status == http.StatusBadRequest {
			if e := into[tokens](r).Error; e != "invalid_scope" {
				t.Errorf("refused with %q: %s", e, r.Body)
			}
			refusedWishes++
			return
		}
		got := into[tokens](r.WantStatus(200))
		c := claimsOf(t, got.Access)
		if !slices.Equal(libraryScopes(c.Scope), []string{want}) || !slices.Equal(c.Groups, []string{want}) {
			t.Errorf("scope %q, groups %v; want only %s", c.Scope, c.Groups, want)
		}
		s.get(t, got.Access, "/users").WantStatus(403)
	}
	t.Run("password", func(t *testing.T) {
		for _, wish := range wishes {
			check(t, ask(t, passwordGrant("bwayne", "scope", wish)), "library_user")
		}
	})
	t.Run("code", func(t *testing.T) {
		for name, f := range loginFlows("openid library_admin library_curator") {
			q := newBrowser(t).logIn(f, "bwayne")
			t.Log(name)
			check(t, ask(t, f.exchange(q.Get("code"))), "library_user")
		}
	})
	if refusedWishes == 0 {
		t.Error("not one impossible wish was refused")
	}
}

// TestGrantsThatAreOff are ways to a token that the realm does not offer.
func TestGrantsThatAreOff(t *testing.T) {
	subject := accessOf(t, "bwayne")
	secret := []string{"client_id", "library-client", "client_secret", clientSecret}
	for name, fields := range map[string]url.Values{
		"password of a public client": form("grant_type", "password", "client_id", "library-web", "username", "bwayne", "password", "wayne"),
		"token exchange": form(append(secret, "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange",
			"subject_token", subject, "subject_token_type", "urn:ietf:params:oauth:token-type:access_token", "scope", "library_admin")...),
		"token for somebody else": form(append(secret, "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange",
			"subject_token", subject, "requested_subject", "ckent")...),
		"assertion":                             form(append(secret, "grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion", subject)...),
		"client credentials of a public client": form("grant_type", "client_credentials", "client_id", "library-cli"),
		"a wrong secret":                        form("grant_type", "client_credentials", "client_id", "library-client", "client_secret", "x"),
	} {
		if r := ask(t, fields); r.Status < 400 || r.Status > 403 {
			t.Errorf("%s: status %d, %s", name, r.Status, r.Body)
		}
	}
	for _, client := range []string{"library-web", "library-cli"} {
		r, err := postForm(atKeycloak, endpoint("auth/device"), form("client_id", client))
		if err != nil || r.Status < 400 {
			t.Errorf("device grant of %s: %d, %v", client, r.Status, err)
		}
		r, err = postForm(atKeycloak, issuer+"/clients-registrations/openid-connect", form())
		if err != nil || r.Status < 400 {
			t.Errorf("registration of clients: %d, %v", r.Status, err)
		}
	}
	implicit := strings.Replace(newFlow("library-web", "http://localhost:4200/", "openid").address(), "response_type=code", "response_type=token", 1)
	if to := newBrowser(t).get(implicit).WantStatus(302).Header.Get("Location"); !strings.Contains(to, "error=unauthorized_client") {
		t.Errorf("the implicit grant leads to %s", to)
	}
}

// TestWhoLeavesTheGroupLosesTheScope at the next refresh.
func TestWhoLeavesTheGroupLosesTheScope(t *testing.T) {
	s := start(t)
	membership := "/users/" + idOf(t, "/users?username=bbanner", "username", "bbanner") +
		"/groups/" + idOf(t, "/groups", "name", "library_user")
	before := obtain(t, passwordGrant("bbanner"))
	administer(t, "DELETE", membership, nil).WantStatus(204)
	t.Cleanup(func() { administer(t, "PUT", membership, nil).WantStatus(204) })
	after := obtain(t, refreshGrant(before.Refresh))
	if c := claimsOf(t, after.Access); len(libraryScopes(c.Scope)) != 0 || len(c.Groups) != 0 {
		t.Errorf("scope %q, groups %v", c.Scope, c.Groups)
	}
	s.get(t, after.Access, "/books").WantStatus(200)
	s.call(t, after.Access, "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(403)
	// What was given before is good until it expires.
	s.call(t, before.Access, "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(200)
}

// TestNobodyBecomesSomebodyElse: the e-mail address is who one is, so the
// users of the realm may not edit theirs, on the pages of their account or
// behind them.
func TestNobodyBecomesSomebodyElse(t *testing.T) {
	// The account pages of an imported realm have no scopes and so do nothing.
	client := "/clients/" + idOf(t, "/clients?clientId=account-console", "clientId", "account-console")
	for _, name := range []string{"basic", "roles"} {
		scope := client + "/default-client-scopes/" + idOf(t, "/client-scopes", "name", name)
		administer(t, "PUT", scope, nil).WantStatus(204)
		t.Cleanup(func() { administer(t, "DELETE", scope, nil).WantStatus(204) })
	}
	f := newFlow("account-console", issuer+"/account/", "openid")
	token := tokensThroughLogin(t, f, "bbanner").Access
	account := func(method string, body any) response {
		text, _ := json.Marshal(body)
		req, err := http.NewRequest(method, issuer+"/account/", strings.NewReader(string(text)))
		testkit.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json")
		r, err := testkit.Send(atKeycloak, req)
		testkit.NoError(t, err)
		r.T = t
		return r
	}
	mine := into[object](account("GET", nil).WantStatus(200))
	delete(mine, "userProfileMetadata")
	account("POST", mine).WantStatus(204) // unchanged, that is fine
	for _, email := range []string{"clark.kent@example.com", "lois.lane@example.com"} {
		mine["email"] = email
		if r := account("POST", mine); r.Status/100 != 4 {
			t.Errorf("the address became %s: status %d", email, r.Status)
		}
	}
	if c := claimsOf(t, accessOf(t, "bbanner")); c.Email != "bruce.banner@example.com" {
		t.Errorf("the address is %s now", c.Email)
	}
	// What that token may do at Keycloak, it may not do here.
	start(t).get(t, token, "/books").WantStatus(401)
}
