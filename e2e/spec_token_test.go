package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testidp"
)

func TestSpecificationOfTokens(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	ago := time.Now().Add(-2 * time.Second).Unix()
	for _, c := range []struct {
		rule   string
		claims testidp.Claims
		how    []testidp.Option
		books  int // status of GET books
		users  int // status of GET users
	}{
		{rule: "spec 2: scope is a string of space-separated values", claims: testidp.Claims{"scope": "email library_admin profile"}, books: 200, users: 200},
		{rule: "spec 2: scope is a collection of strings", claims: testidp.Claims{"scope": []string{"email", "library_admin"}}, books: 200, users: 200},
		{rule: "spec 2: email is a string that finds the local user", claims: testidp.Claims{"email": "peter.parker@example.com"}, books: 200, users: 403},
		{rule: "spec 2: email is missing", claims: testidp.Claims{"email": nil}, books: 401, users: 401},
		{rule: "spec 2: email is no string", claims: testidp.Claims{"email": []string{"bruce.wayne@example.com"}}, books: 401, users: 401},
		{rule: "spec 2: iss must equal the configured issuer", claims: testidp.Claims{"iss": "http://other.example/"}, books: 401, users: 401},
		{rule: "spec 2: iss is missing", claims: testidp.Claims{"iss": nil}, books: 401, users: 401},
		{rule: "spec 2: exp must not have passed", claims: testidp.Claims{"exp": ago}, books: 401, users: 401},
		{rule: "spec 2: exp is missing", claims: testidp.Claims{"exp": nil}, books: 401, users: 401},
		{rule: "spec 2: aud is a string", claims: testidp.Claims{"aud": "library-service"}, books: 200, users: 403},
		{rule: "spec 2: aud is a collection of strings", claims: testidp.Claims{"aud": []string{"account", "library-service"}}, books: 200, users: 403},
		{rule: "spec 2: aud without library-service", claims: testidp.Claims{"aud": "library-services"}, books: 401, users: 401},
		{rule: "spec 2: other claims are not required", claims: testidp.Claims{"sub": nil, "iat": nil, "jti": nil, "typ": nil, "azp": nil}, books: 200, users: 403},
		{rule: "spec 2: other claims may be present", claims: testidp.Claims{"email_verified": false, "name": "X", "groups": []string{"library_admin"}, "preferred_username": "x"}, books: 200, users: 403},
		{rule: "spec 5.2: the signature is good", books: 200, users: 403},
		{rule: "spec 5.2: the signature is that of another key", how: []testidp.Option{testidp.ForgedSignature()}, books: 401, users: 401},
		{rule: "spec 5.2: the token is not signed", how: []testidp.Option{testidp.Header("alg", "none")}, books: 401, users: 401},
		{rule: "spec 5.2: the token is signed with a symmetric algorithm", how: []testidp.Option{testidp.Header("alg", "HS256")}, books: 401, users: 401},
		{rule: "spec 5.2: the token is an ID token", claims: testidp.Claims{"typ": "ID"}, books: 401, users: 401},
		{rule: "spec 5.4: a scope becomes ROLE_ and the scope in upper case", claims: testidp.Claims{"scope": "LiBrary_AdMin"}, books: 200, users: 200},
		{rule: "spec 5.4: an empty scope yields no authority", claims: testidp.Claims{"scope": ""}, books: 200, users: 403},
		{rule: "spec 5.4: a missing scope yields no authority", claims: testidp.Claims{"scope": nil}, books: 200, users: 403},
		{rule: "spec 5.4: a scope of another type yields no authority", claims: testidp.Claims{"scope": map[string]any{"library_admin": true}}, books: 200, users: 403},
		{rule: "spec 5.4: no user for the email claim", claims: testidp.Claims{"email": "ghost@example.com", "scope": "library_admin"}, books: 401, users: 401},
	} {
		t.Run(c.rule, func(t *testing.T) {
			caller := s.with(t, s.idp.Mint(t, c.claims, c.how...))
			caller.get("/books").want(c.books)
			caller.get("/users").want(c.users)
		})
	}
}

func TestSpecificationOfAuthorities(t *testing.T) {
	t.Parallel()
	type me struct{ Authorities []string }
	claims := testidp.Claims{"email": curator.email, "scope": "library_user", "groups": []string{"library_admin"}}
	for _, c := range []struct {
		rule, mode string
		want       []string
		curates    int
		lists      int
	}{
		{"spec 5.4: scope is the source of authorities", "scope", []string{"ROLE_LIBRARY_USER"}, 403, 403},
		{"spec 5.4: the alternative mapping reads the groups claim", "groups", []string{"ROLE_LIBRARY_ADMIN"}, 403, 200},
		{"spec 5.4: without the conversion scopes are SCOPE_… and lead to 403", "plain", []string{"SCOPE_library_user"}, 403, 403},
		{"roles of the user record", "local", []string{"ROLE_LIBRARY_CURATOR"}, 201, 403},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := startOn(t, emptySQLite(t), "--authorities", c.mode)
			caller := s.with(t, s.idp.Mint(t, claims))
			if diff := cmp.Diff(c.want, into[me](caller.get("/me").want(200)).Authorities); diff != "" {
				t.Errorf("authorities (-want +got):\n%s", diff)
			}
			caller.post("/books", map[string]any{"title": "New"}).want(c.curates)
			caller.get("/users").want(c.lists)
		})
	}
}

// passwordFile makes an htpasswd file with the sample users' passwords.
func passwordFile(t testing.TB) string {
	t.Helper()
	var lines []byte
	for email, password := range map[string]string{reader.email: "wayne", admin.email: "kent", "ghost@example.com": "boo"} {
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, email+":"+string(hash)+"\n"...)
	}
	path := filepath.Join(t.TempDir(), "htpasswd")
	if err := os.WriteFile(path, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSpecificationOfBasicMode(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := start(t, nil, "--auth", "basic", "--htpasswd", passwordFile(t), "--database", database, "--sample-data")
		login := func(t *testing.T, name, password string) func(method, path string) response {
			return func(method, path string) response {
				t.Helper()
				return s.with(t, nobody).call(method, path, nil, "Authorization", "Basic "+basicCredentials(name, password))
			}
		}
		unauthorized := func(t *testing.T, r response) {
			t.Helper()
			r.want(401).wantHeader("WWW-Authenticate", `Basic realm="library"`)
			if f := r.failure(); f.Error != "Unauthorized" || f.Message != "Unauthorized" {
				t.Errorf("error %q, message %q", f.Error, f.Message)
			}
		}
		t.Run("spec 7: basic mode, no credentials → 401 WWW-Authenticate: Basic and the JSON body", func(t *testing.T) {
			r := s.with(t, nobody).get("/books")
			unauthorized(t, r)
			members := into[map[string]any](r)
			for _, name := range []string{"error", "message", "path", "status", "timestamp"} { // spec 2
				if _, ok := members[name]; !ok {
					t.Errorf("the body has no %s: %s", name, r.body)
				}
			}
		})
		t.Run("spec 5.6: the e-mail address is the user name", func(t *testing.T) {
			login(t, reader.email, "wayne")("GET", "/books").want(200)
			login(t, "CLARK.kent@example.com", "kent")("GET", "/users").want(200)
			unauthorized(t, login(t, "bwayne", "wayne")("GET", "/books"))
		})
		t.Run("wrong password, unknown login and login without a user look the same", func(t *testing.T) {
			unauthorized(t, login(t, reader.email, "Wayne")("GET", "/books"))
			unauthorized(t, login(t, "who@example.com", "wayne")("GET", "/books"))
			unauthorized(t, login(t, "ghost@example.com", "boo")("GET", "/books"))
		})
		t.Run("roles are those of the user record, and a refusal has no challenge", func(t *testing.T) {
			login(t, reader.email, "wayne")("GET", "/users").want(403).wantHeader("WWW-Authenticate", "")
			login(t, reader.email, "wayne")("POST", "/books/"+cleanCode+"/borrow").want(200)
		})
		t.Run("spec 5.6: bearer tokens are not looked at", func(t *testing.T) {
			unauthorized(t, s.with(t, testidp.New(t).Token(t, reader.email, "library_user")).get("/books"))
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
	})
}
