package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

const firstAdmin = "root@example.org"

// TestTheFirstAdminCanWorkInEveryMode starts a new library and does what the log
// says is needed. Without that, the admin of the record is none.
func TestTheFirstAdminCanWorkInEveryMode(t *testing.T) {
	t.Parallel()
	for mode, c := range map[string]struct {
		needs  string
		claims testidp.Claims // as the log says
		less   int            // the answer to an admin without them; 0 if nothing is needed
	}{
		"scope":  {`level=INFO .*the scope library_admin in the token`, testidp.Claims{"scope": "library_admin"}, 403},
		"groups": {`level=INFO .*the group library_admin at the identity provider`, testidp.Claims{"groups": []string{"library_admin"}}, 403},
		"local":  {`level=INFO .*needs nothing but a login`, nil, 0},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := startWith(t, testidp.New(t), "--database", emptySQLite(t), "--authorities", mode, "--bootstrap-user", firstAdmin)
			s.AwaitLog(t, regexp.MustCompile(c.needs))
			if c.less != 0 {
				s.with(t, s.idp.Mint(t, testidp.Claims{"email": firstAdmin, "scope": "email"})).get("/users").want(c.less)
			}
			claims := testidp.Claims{"email": firstAdmin, "scope": "email"}
			for name, value := range c.claims {
				claims[name] = value
			}
			first := s.with(t, s.idp.Mint(t, claims))
			first.post("/users", map[string]any{"email": "second@example.org", "firstName": "S", "lastName": "T"}).want(201)
			if users := into[[]user](first.get("/users").want(200)); len(users) != 2 {
				t.Errorf("users: %+v", users)
			}
		})
	}
}

// TestTheLogSaysWhoBegins: whether the person of --bootstrap-user was added, and that
// somebody has to be named. It never says whom.
func TestTheLogSaysWhoBegins(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	for _, authorities := range []string{"scope", "local"} {
		database := emptySQLite(t)
		for _, c := range []struct {
			args []string
			says string
		}{
			{nil, `level=WARN .*the library has no users, so nobody can use it yet: start it with --bootstrap-user`},
			{[]string{"--bootstrap-user", firstAdmin}, `level=INFO .*the person was added, because the library had no users`},
			{[]string{"--bootstrap-user", firstAdmin}, `level=INFO .*nobody was added, because the person is a user already`},
			{[]string{"--bootstrap-user", "other@example.org"}, `level=INFO .*the person was not added, because the library has users`},
		} {
			s := startWith(t, idp, append([]string{"--database", database, "--authorities", authorities}, c.args...)...)
			s.AwaitLog(t, regexp.MustCompile(c.says))
			s.stop(t, syscall.SIGTERM)
			if log := s.Log.String(); strings.Contains(log, "@example.org") || strings.Count(log, "the library has no users") > 1 {
				t.Errorf("the log:\n%s", log)
			}
		}
		s := startWith(t, idp, "--database", database, "--authorities", authorities)
		s.stop(t, syscall.SIGTERM)
		if strings.Contains(s.Log.String(), "no users") {
			t.Errorf("with a user there is nothing to say:\n%s", s.Log.String())
		}
	}
}

// TestTheFirstAdminCanWorkWithAClaimThatASettingNames is the same with a claim and a map.
func TestTheFirstAdminCanWorkWithAClaimThatASettingNames(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]struct {
		args   []string
		claims testidp.Claims
	}{
		`level=INFO .*library_admin in the claim scp of the token`: {[]string{"--authorities-claim", "scp"}, testidp.Claims{"scp": "library_admin"}},
		`level=INFO .*one of these values in the claim a\.b of the token: IT, root`: {
			[]string{"--authorities-claim", "a.b", "--role-map", "LIBRARY_ADMIN=root,IT;LIBRARY_USER=staff"},
			testidp.Claims{"a": map[string]any{"b": []string{"IT"}}},
		},
	} {
		s := startWith(t, testidp.New(t), append(c.args, "--database", emptySQLite(t), "--bootstrap-user", firstAdmin)...)
		s.AwaitLog(t, regexp.MustCompile(says))
		s.with(t, s.idp.Mint(t, testidp.Claims{"email": firstAdmin, "scope": "library_admin"})).get("/users").want(403)
		c.claims["email"] = firstAdmin
		s.with(t, s.idp.Mint(t, c.claims)).get("/users").want(200)
	}
	s := startWith(t, testidp.New(t), "--database", emptySQLite(t), "--bootstrap-user", firstAdmin, "--role-map", "LIBRARY_USER=staff", "--tokens", "id")
	s.AwaitLog(t, regexp.MustCompile(`level=WARN .*--role-map gives nobody the role LIBRARY_ADMIN, so nobody can manage the library`))
	s.AwaitLog(t, regexp.MustCompile(`level=WARN .*--tokens id: ID tokens are taken instead of access tokens`))
}

func TestTheFirstAdminCanWorkInBasicMode(t *testing.T) {
	t.Parallel()
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	testkit.NoError(t, err)
	file := filepath.Join(t.TempDir(), "htpasswd")
	testkit.NoError(t, os.WriteFile(file, []byte(firstAdmin+":"+string(hash)+"\n"), 0o600))
	s := start(t, nil, "--auth", "basic", "--htpasswd", file, "--database", emptySQLite(t), "--bootstrap-user", firstAdmin)
	s.AwaitLog(t, regexp.MustCompile(`level=INFO .*a line in the password file`))
	s.with(t, nobody).call("GET", "/users", nil, "Authorization", "Basic "+basicCredentials(firstAdmin, "secret")).want(200)
}

// TestNobodyIsAdminInPlainMode is why that mode warns.
func TestNobodyIsAdminInPlainMode(t *testing.T) {
	t.Parallel()
	s := startWith(t, testidp.New(t), "--database", emptySQLite(t), "--authorities", "plain", "--bootstrap-user", firstAdmin)
	s.AwaitLog(t, regexp.MustCompile(`level=WARN .*--bootstrap-user: .*nobody can manage the library`))
	s.as(t, caller{firstAdmin, "library_admin"}).get("/users").want(403)
}
