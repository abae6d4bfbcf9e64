package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

func TestAllFaultsAreReportedAtOnceBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	o := runProgram(t, []string{"LIBRARY_LOG_LEVEL=loud"}, "serve", "--nonsense", "value", "--mor-nonsense=1", "stray",
		"--addr", "nowhere", "--clock-skew", "2m", "--auth", "basic", "--tls-cert", "cert.pem", "--sample-data=perhaps")
	if o.code != 2 {
		t.Errorf("exit code %d, want 2", o.code)
	}
	for _, named := range []string{"--nonsense", "--mor-nonsense", "stray", "--addr", "--clock-skew", "--htpasswd",
		"--tls-key", "--sample-data", "LIBRARY_LOG_LEVEL"} {
		if !strings.Contains(o.stderr, named) {
			t.Errorf("%s is not named in:\n%s", named, o.stderr)
		}
	}
	if o.stdout != "" || strings.Contains(o.stderr, "msg=") {
		t.Errorf("something started: %s%s", o.stdout, o.stderr)
	}
	if files, _ := os.ReadDir(o.dir); len(files) > 0 {
		t.Errorf("there is a file now: %v", files)
	}
}

func TestUnusableFilesAreFaultsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	testkit.NoError(t, os.WriteFile(broken, []byte("not what it should be\n"), 0o600))
	for _, c := range []struct {
		rule, flag string
		args       []string
	}{
		{"password file is not there", "--htpasswd", []string{"--auth", "basic", "--htpasswd", "missing"}},
		{"password file is none", "--htpasswd", []string{"--auth", "basic", "--htpasswd", broken}},
		{"certificate is not there", "--tls-cert", []string{"--issuer", "https://a.example", "--tls-cert", "missing", "--tls-key", "missing"}},
		{"certificate is none", "--tls-cert", []string{"--issuer", "https://a.example", "--tls-cert", broken, "--tls-key", broken}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			o := runProgram(t, nil, append([]string{"serve"}, c.args...)...)
			if o.code != 2 || !strings.Contains(o.stderr, c.flag) {
				t.Errorf("exit code %d, want 2 and %s named in:\n%s", o.code, c.flag, o.stderr)
			}
			if files, _ := os.ReadDir(o.dir); len(files) > 0 {
				t.Errorf("there is a file now: %v", files)
			}
		})
	}
}

func TestPortInUseNamesTheFlag(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	t.Cleanup(func() { taken.Close() })
	at := taken.Addr().String()
	for _, c := range []struct{ flag, api, management string }{
		{"--addr", at, "127.0.0.1:0"},
		{"--management-addr", "127.0.0.1:0", at},
	} {
		t.Run(c.flag, func(t *testing.T) {
			t.Parallel()
			o := runProgram(t, nil, "serve", "--issuer", "http://127.0.0.1:1/", "--addr", c.api, "--management-addr", c.management)
			if o.code != 1 || !strings.Contains(o.stderr, c.flag+")") || !strings.Contains(o.stderr, at) {
				t.Errorf("exit code %d, want 1, and %s and %s named in:\n%s", o.code, c.flag, at, o.stderr)
			}
			if files, _ := os.ReadDir(o.dir); len(files) > 0 {
				t.Errorf("there is a file now: %v", files)
			}
		})
	}
}

func TestEmptyDatabaseIsRefusedInWordsWithoutMigration(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		args := []string{"serve", "--issuer", "http://127.0.0.1:1/", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0",
			"--database", database, "--migrate=false"}
		o := runProgram(t, nil, args...)
		if o.code != 1 || !strings.Contains(o.stderr, "library migrate") || !strings.Contains(o.stderr, "--database") {
			t.Errorf("exit code %d, want 1 and advice in:\n%s", o.code, o.stderr)
		}
		for range 2 { // the second time there is nothing left to do
			o = runProgram(t, []string{"LIBRARY_DATABASE=" + database}, "migrate")
			if o.code != 0 || !strings.Contains(o.stdout, "up to date") {
				t.Fatalf("migrate: exit code %d: %s%s", o.code, o.stdout, o.stderr)
			}
		}
		s := startOn(t, database, "--migrate=false")
		s.as(t, reader).get("/books").want(200)
	})
}

func TestDatabaseThatCannotBeUsedIsRefusedInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, database string
		more           []string
	}{
		{"no folder", "sqlite:" + filepath.Join(t.TempDir(), "no", "such", "folder.db"), nil},
		{"a folder, not a file", "sqlite:" + t.TempDir(), nil},
		{"nobody listens", "postgres://user:s3cret-Word@127.0.0.1:1/library", []string{"--wait=0"}},
		{"wrong password", wrongPassword(pgtest.URL(t)), nil},
		{"no such database", pgtest.URL(t) + "&dbname=no_such_database", nil},
		{"no TLS", pgtest.URL(t) + "&sslmode=require", nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			args := []string{"serve", "--issuer", "http://127.0.0.1:1/", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0", "--database", c.database}
			o := runProgram(t, nil, append(args, c.more...)...)
			if o.code != 1 || !strings.Contains(o.stderr, "--database") {
				t.Errorf("exit code %d, want 1 and --database named in:\n%s", o.code, o.stderr)
			}
			if strings.Contains(o.stderr, "s3cret-Word") {
				t.Errorf("the password is in:\n%s", o.stderr)
			}
		})
	}
}

func wrongPassword(database string) string {
	before, after, _ := strings.Cut(database, "@")
	return before[:strings.LastIndex(before, ":")] + ":s3cret-Word@" + after
}

func TestStartingDataIsAddedOnceToAnEmptyDatabase(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		idp := testidp.New(t)
		root := caller{"root@example.org", "library_admin"}
		both := []string{"--database", database, "--sample-data", "--bootstrap-user", root.email}
		for round := range 2 {
			s := startWith(t, idp, both...)
			users := into[[]user](s.as(t, root).get("/users").want(200))
			books := into[[]book](s.as(t, reader).get("/books").want(200))
			if len(users) != sampleUsers+1 || len(books) != sampleBooks {
				t.Errorf("round %d: %d users and %d books, want %d and %d", round, len(users), len(books), sampleUsers+1, sampleBooks)
			}
			if round == 0 { // what was changed stays changed
				s.as(t, curator).delete("/books/" + cleanCode).want(204)
				s.as(t, curator).post("/books", map[string]any{"title": "Another"}).want(201)
			}
			s.stop(t, terminate)
		}
		s := startWith(t, idp, "--database", database, "--bootstrap-user", "late@example.org")
		s.as(t, caller{"late@example.org", "library_admin"}).get("/users").want(401)
	})
}

func TestBootstrapUserIsTheFirstAdmin(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startWith(t, testidp.New(t), "--database", database, "--authorities", "local", "--bootstrap-user", "Root@example.org")
		users := into[[]user](s.as(t, caller{"root@example.org", ""}).get("/users").want(200))
		if len(users) != 1 || users[0].FirstName+" "+users[0].LastName != "Library Admin" || strings.Join(users[0].Roles, " ") != "LIBRARY_ADMIN" {
			t.Errorf("users: %+v", users)
		}
		if got := into[[]book](s.as(t, caller{"root@example.org", ""}).get("/books").want(200)); len(got) != 0 {
			t.Errorf("%d books", len(got))
		}
	})
}
