//go:build keycloak

package keycloak

import (
	"net/http"
	"slices"
	"testing"
)

type book struct {
	Identifier, Title string
	Borrowed          bool
	BorrowedBy        struct{ Identifier string }
}

type me struct {
	Email       string
	Authorities []string
}

// TestLibraryBehindKeycloak is what the people and the program of the realm
// may do, by their scopes.
func TestLibraryBehindKeycloak(t *testing.T) {
	s := start(t)
	reader, curator, admin := accessOf(t, "bwayne"), accessOf(t, "pparker"), accessOf(t, "ckent")
	program := obtain(t, clientCredentials()).Access
	needs := func(scope string) string {
		return `Bearer error="insufficient_scope", error_description="The request requires higher privileges than provided by the access token.", ` +
			`error_uri="https://tools.ietf.org/html/rfc6750#section-3.1", scope="` + scope + `"`
	}

	s.get(t, "", "/books").WantStatus(401).WantHeader("WWW-Authenticate", "Bearer")
	for _, token := range []string{reader, curator, admin, program} {
		if books := into[[]book](s.get(t, token, "/books").WantStatus(200)); len(books) != 10 {
			t.Errorf("%d books", len(books))
		}
	}

	s.get(t, reader, "/users").WantStatus(403).WantHeader("WWW-Authenticate", needs("library_admin"))
	s.get(t, program, "/users").WantStatus(403)
	if users := into[[]object](s.get(t, admin, "/users").WantStatus(200)); len(users) != 5 {
		t.Errorf("%d users", len(users))
	}

	s.call(t, admin, "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(403).WantHeader("WWW-Authenticate", needs("library_user"))
	lent := into[book](s.call(t, reader, "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(200))
	if !lent.Borrowed || lent.BorrowedBy.Identifier != bruceWayne {
		t.Errorf("lent: %+v", lent)
	}
	s.call(t, accessOf(t, "bbanner"), "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(409)
	s.call(t, reader, "POST", "/books/"+cleanCode+"/return", nil).WantStatus(200)

	s.call(t, reader, "POST", "/books", object{"title": "Moby Dick"}).WantStatus(403).WantHeader("WWW-Authenticate", needs("library_curator"))
	s.call(t, curator, "POST", "/books", object{"title": "Moby Dick"}).WantStatus(201)
	s.call(t, program, "POST", "/books", object{"title": "Typee"}).WantStatus(201)

	who := into[me](s.get(t, program, "/me").WantStatus(200))
	if who.Email != "service-account-library-client@placeholder.org" || !slices.Contains(who.Authorities, "ROLE_LIBRARY_CURATOR") {
		t.Errorf("the program is %+v", who)
	}
}

func TestAuthoritiesFromGroups(t *testing.T) {
	s := start(t, "--authorities", "groups")
	reader := accessOf(t, "bwayne")
	s.get(t, reader, "/users").WantStatus(403)
	s.call(t, reader, "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(200)
	s.get(t, accessOf(t, "ckent"), "/users").WantStatus(200)
	s.call(t, accessOf(t, "pparker"), "POST", "/books", object{"title": "Moby Dick"}).WantStatus(201)
	program := obtain(t, clientCredentials()).Access
	s.call(t, program, "POST", "/books", object{"title": "Typee"}).WantStatus(201)
	if who := into[me](s.get(t, program, "/me").WantStatus(200)); !slices.Equal(who.Authorities, []string{"ROLE_LIBRARY_CURATOR"}) {
		t.Errorf("the program has %v", who.Authorities)
	}
}

// TestOtherTokensAreRefused: the ID token and the refresh token come from the
// same place and are no access tokens.
func TestOtherTokensAreRefused(t *testing.T) {
	s := start(t)
	got := obtain(t, passwordGrant("ckent", "scope", "openid"))
	if typ := claimsOf(t, got.ID).Typ; typ != "ID" {
		t.Errorf("the ID token says it is %q", typ)
	}
	s.get(t, got.Access, "/users").WantStatus(200)
	s.get(t, got.ID, "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The token is not an access token"))
	s.get(t, got.Refresh, "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The signing algorithm is not supported"))
}

// TestTokensInEveryShape are access tokens as the settings of a client may
// shape them.
func TestTokensInEveryShape(t *testing.T) {
	scopes := []string{"basic", "email", "library-service", "library_user"}
	shapes := map[string]map[string]string{"the type of RFC 9068": {"access.token.header.type.rfc9068": "true"}}
	for _, alg := range []string{"RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"} {
		shapes[alg] = map[string]string{"access.token.signed.response.alg": alg}
	}
	// Keycloak makes a key when it first needs one. All of them have to be
	// there when the service fetches the set.
	made := map[string]string{}
	for name, attributes := range shapes {
		made[name] = tokenOfNewClient(t, "bwayne", attributes, scopes...)
	}
	s := start(t)
	for name, token := range made {
		h := headerOf(t, token)
		if alg := shapes[name]["access.token.signed.response.alg"]; alg != "" && h.Alg != alg || alg == "" && h.Typ != "at+jwt" {
			t.Errorf("%s: the header is %+v", name, h)
		}
		r := s.get(t, token, "/books")
		if r.Status != http.StatusOK {
			t.Errorf("%s: status %d, %s", name, r.Status, r.Header.Get("WWW-Authenticate"))
		}
	}
}
