package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

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
