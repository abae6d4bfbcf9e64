package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// passwordFile makes an htpasswd file with the sample users' passwords.
func passwordFile(t testing.TB) string {
	t.Helper()
	var lines []byte
	for email, password := range map[string]string{reader.email: "wayne", admin.email: "kent", "ghost@example.com": "boo"} {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		testkit.NoError(t, err)
		lines = append(lines, email+":"+string(hash)+"\n"...)
	}
	path := filepath.Join(t.TempDir(), "htpasswd")
	testkit.NoError(t, os.WriteFile(path, lines, 0o600))
	return path
}

func TestSpecificationOfBasicMode(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--auth", "basic", "--htpasswd", passwordFile(t), "--database", emptySQLite(t), "--sample-data")
	login := func(t *testing.T, name, password, path string) response {
		t.Helper()
		return s.with(t, nobody).get(path, "Authorization", "Basic "+basicCredentials(name, password))
	}
	t.Run("spec 7: basic mode, no credentials → 401 WWW-Authenticate: Basic and the JSON body", func(t *testing.T) {
		r := s.with(t, nobody).get("/books").want(401).wantHeader("WWW-Authenticate", `Basic realm="library"`)
		if f := r.failure(); f.Error != "Unauthorized" || f.Message != "Unauthorized" {
			t.Errorf("error %q, message %q", f.Error, f.Message)
		}
		members := into[map[string]any](r)
		for _, name := range []string{"error", "message", "path", "status", "timestamp"} { // spec 2
			if _, ok := members[name]; !ok {
				t.Errorf("the body has no %s: %s", name, r.Body)
			}
		}
	})
	t.Run("spec 5.6: the e-mail address is the user name, and the record gives the roles", func(t *testing.T) {
		login(t, reader.email, "wayne", "/books").want(200)
		login(t, reader.email, "wayne", "/users").want(403).wantHeader("WWW-Authenticate", "")
		login(t, "CLARK.kent@example.com", "kent", "/users").want(200)
		login(t, "bwayne", "wayne", "/books").want(401)
	})
	t.Run("spec 5.6: bearer tokens are not looked at", func(t *testing.T) {
		s.with(t, testidp.New(t).Token(t, reader.email, "library_user")).get("/books").want(401)
	})
	t.Run("it is ready without keys, has no metric of any, and warns", func(t *testing.T) {
		if status, body := s.manage(t, "/readyz"); status != 200 {
			t.Errorf("/readyz: %d %s", status, body)
		}
		if names := s.metricNames(t); slices.Contains(names, "library_keyset_fetches_total") {
			t.Error("there are metrics of keys")
		}
		if !slices.ContainsFunc(s.events(), func(e event) bool { return e.level() == "WARN" }) {
			t.Error("no warning in the log")
		}
	})
}
