package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"example.org/library/auth"
	"example.org/library/internal/testkit"
)

// newBasicWorld is a world in the earlier mode. Each sample user's password is
// "secret", and so is that of somebody who has no user record.
func newBasicWorld(t *testing.T) *world {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	testkit.NoError(t, err)
	var lines []byte
	for _, email := range []string{bruceWayne, peterParker, clarkKent, "nobody@example.com"} {
		lines = append(lines, email+":"+string(hash)+"\n"...)
	}
	file := filepath.Join(t.TempDir(), "htpasswd")
	testkit.NoError(t, os.WriteFile(file, lines, 0o600))
	basic, err := auth.NewBasic(auth.BasicConfig{Path: file})
	testkit.NoError(t, err)
	return newWorld(t, func(s *setup) { s.scheme = basic })
}

func login(email, password string) http.Header {
	return field("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(email+":"+password)))
}

func TestInBasicModeBadCredentialsLookAlike(t *testing.T) {
	t.Parallel()
	w := newBasicWorld(t)
	token := w.idp.Token(t, bruceWayne, "library_user")
	for situation, header := range map[string]http.Header{
		"no credentials":           nil,
		"a wrong password":         login(bruceWayne, "wrong"),
		"no password":              login(bruceWayne, ""),
		"an unknown login":         login("joker@example.com", "secret"),
		"a login without a user":   login("nobody@example.com", "secret"),
		"a bearer token":           field("Authorization", "Bearer "+token),
		"not base64":               field("Authorization", "Basic ???"),
		"no colon":                 field("Authorization", "Basic YWJj"),
		"two fields":               {"Authorization": {login(bruceWayne, "secret").Get("Authorization"), login(bruceWayne, "secret").Get("Authorization")}},
		"a look-alike of a letter": login("clar\u212a.kent@example.com", "secret"),
	} {
		t.Run(situation, func(t *testing.T) {
			a := w.send(t, request{path: "/books", header: header}).want(t, 401, "unauthorized")
			if got := a.header.Get("WWW-Authenticate"); got != `Basic realm="library"` {
				t.Errorf("WWW-Authenticate %q", got)
			}
			if e := a.error(); e.Error != "Unauthorized" || e.Message != "Unauthorized" {
				t.Errorf("error %q, message %q, want Unauthorized twice", e.Error, e.Message)
			}
		})
	}
}

func TestInBasicModeTheRecordGivesTheRoles(t *testing.T) {
	t.Parallel()
	w := newBasicWorld(t)
	w.send(t, request{path: "/books", header: login(bruceWayne, "secret")}).want(t, 200, "")
	w.send(t, request{path: "/books", header: login("BRUCE.Wayne@example.com", "secret")}).want(t, 200, "")
	w.send(t, request{method: http.MethodPost, path: borrowPath, header: login(bruceWayne, "secret")}).want(t, 200, "")
	w.send(t, request{path: "/users", header: login(clarkKent, "secret")}).want(t, 200, "")
	a := w.send(t, request{path: "/users", header: login(bruceWayne, "secret")}).want(t, 403, "role_missing")
	if got := a.header.Values("WWW-Authenticate"); got != nil {
		t.Errorf("WWW-Authenticate %q, want none", got)
	}
	w.send(t, request{method: http.MethodDelete, path: "/users/" + parkerID, header: login(clarkKent, "secret")}).want(t, 204, "")
	w.send(t, request{path: "/books", header: login(peterParker, "secret")}).want(t, 401, "unauthorized")
}
