//go:build keycloak

package keycloak

import (
	"testing"

	"example.org/library/internal/testkit"
)

const password = "not-a-secret"

// newcomer is somebody whom Keycloak knows and the library does not.
type newcomer struct {
	t     testing.TB
	login string
	at    string // in the admin API
}

// join adds a reader to the realm, for the time of a test.
func join(t testing.TB, login, email string) newcomer {
	t.Helper()
	id := createdID(administer(t, "POST", "/users", object{
		"username": login, "email": email, "emailVerified": true, "firstName": "Diana", "lastName": "Prince", "enabled": true,
		"groups": []string{"library_user"}, "credentials": []object{{"type": "password", "value": password}},
	}))
	t.Cleanup(func() { administer(t, "DELETE", "/users/"+id, nil) })
	return newcomer{t, login, "/users/" + id}
}

func (n newcomer) moveTo(email string) {
	n.t.Helper()
	record := into[object](administer(n.t, "GET", n.at, nil).WantStatus(200))
	record["email"], record["emailVerified"] = email, true
	administer(n.t, "PUT", n.at, record).WantStatus(204)
}

func (n newcomer) leave() {
	n.t.Helper()
	administer(n.t, "DELETE", n.at, nil).WantStatus(204)
}

func (n newcomer) token() string {
	n.t.Helper()
	return obtain(n.t, form("grant_type", "password", "client_id", "library-client", "client_secret", clientSecret,
		"username", n.login, "password", password)).Access
}

type record struct {
	Identifier, Email, FirstName, LastName string
	Bound                                  bool
}

func recordOf(t testing.TB, s *server, admin, email string) record {
	t.Helper()
	for _, r := range into[[]record](s.get(t, admin, "/users").WantStatus(200)) {
		if r.Email == email {
			return r
		}
	}
	t.Fatalf("nobody has the address %s", email)
	return record{}
}

// TestPeopleOfKeycloakGetARecordAtTheirFirstLoginAndKeepIt: also under another address,
// and nobody else gets it with theirs.
func TestPeopleOfKeycloakGetARecordAtTheirFirstLoginAndKeepIt(t *testing.T) {
	const before, after, book = "diana.prince@example.com", "diana.trevor@example.com", "/books/" + cleanCode
	diana := join(t, "dprince", before)
	first, admin := diana.token(), accessOf(t, "ckent")
	start(t).get(t, first, "/me").WantStatus(401)

	s := start(t, "--provision", "login", "--bind-subject", "on")
	s.get(t, first, "/me").WantStatus(200)
	hers := recordOf(t, s, admin, before)
	testkit.Equal(t, hers, record{hers.Identifier, before, "Diana", "Prince", true}, "her record")
	s.call(t, first, "POST", book+"/borrow", nil).WantStatus(200)

	diana.moveTo(after)
	moved := diana.token()
	s.get(t, moved, "/me").WantStatus(200)
	testkit.Equal(t, recordOf(t, s, admin, after).Identifier, hers.Identifier, "her record, under another address")

	second := join(t, "dprince2", before)
	others := second.token()
	s.get(t, others, "/me").WantStatus(200)
	if recordOf(t, s, admin, before).Identifier == hers.Identifier {
		t.Error("the next person with her old address has her record")
	}
	s.call(t, others, "POST", book+"/return", nil).WantStatus(403)

	second.leave()
	s.get(t, join(t, "dprince3", before).token(), "/me").WantStatus(401)
	s.call(t, moved, "POST", book+"/return", nil).WantStatus(200)
}
