//go:build keycloak

package keycloak

import (
	"slices"
	"testing"
)

// tokenWithRoles is a token of that user of a client as Keycloak makes them unless told
// otherwise: with all realm roles in realm_access.roles, and without scopes of ours.
func tokenWithRoles(t testing.TB, user string) string {
	t.Helper()
	return tokenOfNewClient(t, user, nil, "basic", "email", "profile", "roles", "library-service")
}

// giveRole makes a realm role and gives it to a user, for the time of a test.
func giveRole(t testing.TB, name, user string) {
	t.Helper()
	administer(t, "POST", "/roles", object{"name": name}).WantStatus(201)
	id := idOf(t, "/roles", "name", name)
	t.Cleanup(func() { administer(t, "DELETE", "/roles-by-id/"+id, nil).WantStatus(204) })
	who := "/users/" + idOf(t, "/users?username="+user, "username", user)
	administer(t, "POST", who+"/role-mappings/realm", []object{{"id": id, "name": name}}).WantStatus(204)
}

func TestAuthoritiesFromRealmRoles(t *testing.T) {
	s := start(t, "--authorities", "groups", "--authorities-claim", "realm_access.roles")
	reader := tokenWithRoles(t, "bwayne")
	s.call(t, reader, "POST", "/books/"+cleanCode+"/borrow", nil).WantStatus(200)
	s.get(t, reader, "/users").WantStatus(403)
	s.get(t, tokenWithRoles(t, "ckent"), "/users").WantStatus(200)
	s.call(t, tokenWithRoles(t, "pparker"), "POST", "/books", object{"title": "Moby Dick"}).WantStatus(201)

	// The clients of our realm put no roles into their tokens.
	if who := into[me](s.get(t, accessOf(t, "ckent"), "/me").WantStatus(200)); len(who.Authorities) != 0 {
		t.Errorf("without the claim there are %v", who.Authorities)
	}
}

// TestARoleMapSaysWhatRealmRolesMean, with a name that an organisation may have given.
func TestARoleMapSaysWhatRealmRolesMean(t *testing.T) {
	giveRole(t, "Bücherei, Abend; West = 2", "bbanner")
	s := start(t, "--authorities", "groups", "--authorities-claim", "realm_access.roles",
		"--role-map", "LIBRARY_CURATOR=Bücherei%2C Abend%3B West %3D 2;LIBRARY_ADMIN=library_curator")
	for user, role := range map[string]string{"bbanner": "ROLE_LIBRARY_CURATOR", "pparker": "ROLE_LIBRARY_ADMIN"} {
		who := into[me](s.get(t, tokenWithRoles(t, user), "/me").WantStatus(200))
		if !slices.Equal(who.Authorities, []string{role}) {
			t.Errorf("%s has %v, want %s", user, who.Authorities, role)
		}
	}
	// Who has only roles that are not in the map has none.
	s.get(t, tokenWithRoles(t, "ckent"), "/users").WantStatus(403)
}
