package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/backup"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// as is the address of the same database for another role, which is made if it is
// not the superuser. Roles are of the whole server, so each test has names of its own.
func as(t testing.TB, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	testkit.NoError(t, err)
	password, _ := u.User.Password()
	if role != "postgres" {
		execSQL(t, as(t, address, "postgres"), fmt.Sprintf("CREATE ROLE %q LOGIN PASSWORD '%s'", role, password))
	}
	u.User = url.UserPassword(role, password)
	return u.String()
}

// in is the address of a schema of a database.
func in(address, schema string) string { return address + "&search_path=" + url.PathEscape(schema) }

func number(t testing.TB, address, query string) (n int) {
	t.Helper()
	db := openSQL(t, address)
	defer db.Close()
	testkit.NoError(t, db.QueryRow(query).Scan(&n))
	return n
}

// wantBooks expects a number of books in a library.
func wantBooks(t testing.TB, address string, want int) {
	t.Helper()
	if got := number(t, address, "SELECT count(*) FROM books"); got != want {
		t.Errorf("there are %d books, want %d", got, want)
	}
}

// addTo makes a library, or goes on with it, adds books, and returns how many there are.
func addTo(t testing.TB, address string, books int) int {
	t.Helper()
	s := open(t, address)
	for range books {
		testkit.NoError(t, testkit.Err(s.add(1)))
	}
	s.store.Close()
	return number(t, address, "SELECT count(*) FROM books")
}

// breakPgRestore puts a pg_restore in front of the real one that runs a line of
// shell in its place whenever it is asked for one of these; $real is the real one.
func breakPgRestore(t *testing.T, asked, line string) {
	t.Helper()
	real, err := exec.LookPath("pg_restore")
	testkit.NoError(t, err)
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nreal=%s\ncase \"$*\" in %s) %s ;; esac\nexec $real \"$@\"\n", real, asked, line)
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "pg_restore"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestARestoreThatFailsLeavesTheLibraryThatWasThere has it fail at several moments.
func TestARestoreThatFailsLeavesTheLibraryThatWasThere(t *testing.T) {
	real := os.Getenv("PATH")
	for _, c := range []struct {
		rule string
		fail func(t *testing.T, from string)
		says string
	}{
		{"the server refuses the last statement", func(t *testing.T, from string) {
			as(t, from, "passing")
			execSQL(t, as(t, from, "postgres"), "CREATE POLICY theirs ON books TO passing USING (true)")
			t.Cleanup(func() { execSQL(t, as(t, from, "postgres"), "DROP ROLE IF EXISTS passing") })
		}, `role "passing" does not exist`},
		{"pg_restore breaks off among the records", func(t *testing.T, _ string) {
			breakPgRestore(t, "*--section=data*|*--dbname*", `$real "$@" | head -c 4000; echo "pg_restore: error: out of luck" >&2; exit 1`)
		}, "out of luck"},
		{"pg_restore stops among the records and says that all is well", func(t *testing.T, _ string) {
			breakPgRestore(t, "*--section=data*", `$real "$@" | head -c 4000; exit 0`)
		}, "end"},
		{"pg_restore breaks off after the records", func(t *testing.T, _ string) {
			breakPgRestore(t, "*--section=data*|*--dbname*", `$real "$@"; echo "pg_restore: error: out of luck" >&2; exit 1`)
		}, "out of luck"},
		{"pg_restore breaks off before the indexes", func(t *testing.T, _ string) {
			breakPgRestore(t, "*--section=post-data*|*--dbname*", `echo "pg_restore: error: out of luck" >&2; exit 1`)
		}, "out of luck"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Setenv("PATH", real)
			from, to := pgtest.URL(t), pgtest.URL(t)
			addTo(t, from, 5)
			c.fail(t, from)
			copied := pgDump(t, as(t, from, "postgres"))
			if strings.Contains(c.says, "passing") {
				execSQL(t, as(t, from, "postgres"), "DROP POLICY theirs ON books")
				execSQL(t, as(t, from, "postgres"), "DROP ROLE passing")
			}
			had := addTo(t, to, 1)
			err := restore(to, bytes.NewReader(copied), true)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %q in it", err, c.says)
			}
			wantBooks(t, to, had)
			empty := pgtest.URL(t)
			if err := restore(empty, bytes.NewReader(copied), false); err == nil {
				t.Error("into an empty database it succeeded")
			}
			if n := tables(t, empty); n != 0 {
				t.Errorf("%d tables are left in the empty database", n)
			}
		})
	}
}

// TestARestoreThatIsGivenUpLeavesTheLibraryThatWasThere interrupts it among the records.
func TestARestoreThatIsGivenUpLeavesTheLibraryThatWasThere(t *testing.T) {
	from, to := pgtest.URL(t), pgtest.URL(t)
	addTo(t, from, 3)
	copied := dumpOf(t, from)
	had := addTo(t, to, 1)
	reached := filepath.Join(t.TempDir(), "reached")
	breakPgRestore(t, "*--section=data*", `$real "$@" | head -c 4000; touch `+reached+`; exec sleep 60`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(reached); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	began := time.Now()
	if _, err := backup.Restore(ctx, sourceOf(to), bytes.NewReader(copied), true); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
	if took := time.Since(began); took > testkit.Bound(20*time.Second) {
		t.Errorf("it took %v", took)
	}
	wantBooks(t, to, had)
}

// TestOrdinaryDatabasesAreBackedUpAndRestored are databases as operators have them.
// Everything but the setup is done by a role that is no superuser.
func TestOrdinaryDatabasesAreBackedUpAndRestored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		setUp func(t *testing.T, database, role string) (address string)
	}{
		{"with an extension of the superuser's", func(t *testing.T, database, _ string) string {
			for _, name := range []string{"pg_stat_statements", "pageinspect"} {
				execSQL(t, as(t, database, "postgres"), "CREATE EXTENSION "+name)
			}
			return database
		}},
		{"with an extension of the owner's", func(t *testing.T, database, _ string) string {
			execSQL(t, database, "CREATE EXTENSION citext")
			return database
		}},
		{"in a schema, by a role that owns nothing else", func(t *testing.T, database, role string) string {
			owner := as(t, database, role)
			execSQL(t, as(t, database, "postgres"), fmt.Sprintf("CREATE SCHEMA lib AUTHORIZATION %q", role))
			return in(owner, "lib")
		}},
		{"in a schema with a strange name", func(t *testing.T, database, role string) string {
			owner := as(t, database, role)
			execSQL(t, as(t, database, "postgres"), fmt.Sprintf(`CREATE SCHEMA "My *.""Lib$$" AUTHORIZATION %q`, role))
			return in(owner, `"My *.""Lib$$"`)
		}},
		{"beside a schema of somebody else's, with tables like ours", func(t *testing.T, database, role string) string {
			as(t, database, role)
			for _, statement := range []string{"CREATE SCHEMA dba", "CREATE TABLE dba.books (id INT)", "CREATE TABLE dba.goose_db_version (id INT, version_id BIGINT)",
				"INSERT INTO dba.goose_db_version VALUES (1, 900000)"} {
				execSQL(t, as(t, database, "postgres"), statement)
			}
			return database
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			role := func(n int) string {
				return fmt.Sprintf("%s %d", strings.ReplaceAll(c.rule, " ", "_"), n)[len(c.rule)/2:]
			}
			from, to := c.setUp(t, pgtest.URL(t), role(1)), c.setUp(t, pgtest.URL(t), role(2))
			had := addTo(t, from, 3)
			copied := dumpOf(t, from)
			if err := restore(to, bytes.NewReader(copied), false); err != nil {
				t.Fatalf("into an empty one: %v", err)
			}
			wantBooks(t, to, had)
			addTo(t, to, 2)
			if err := restore(to, bytes.NewReader(copied), true); err != nil {
				t.Fatalf("by force: %v", err)
			}
			wantBooks(t, to, had)
			addTo(t, to, 1) // it goes on
		})
	}
}

// TestOfSeveralServersTheOneThatTakesChangesIsUsed names a standby first.
func TestOfSeveralServersTheOneThatTakesChangesIsUsed(t *testing.T) {
	t.Parallel()
	primary := pgtest.Own(t)
	address := primary.Database(t, "several")
	standby := primary.Standby(t)
	both := strings.Replace(address, primary.Addr(), standby.Addr()+","+primary.Addr(), 1)
	had := addTo(t, both, 1)
	copied := dumpOf(t, both)
	addTo(t, both, 1)
	testkit.NoError(t, restore(both, bytes.NewReader(copied), true))
	wantBooks(t, address, had)
}

// TestABackupOfTheWholeDatabaseIsRestored is about those that the version before made.
func TestABackupOfTheWholeDatabaseIsRestored(t *testing.T) {
	t.Parallel()
	from, to := pgtest.URL(t), pgtest.URL(t)
	had := addTo(t, from, 2)
	for _, address := range []string{from, to} {
		execSQL(t, as(t, address, "postgres"), "CREATE EXTENSION pg_stat_statements")
		execSQL(t, as(t, address, "postgres"), "COMMENT ON SCHEMA public IS 'ours'")
	}
	execSQL(t, as(t, from, "postgres"), "CREATE SCHEMA neighbours")
	execSQL(t, as(t, from, "postgres"), "CREATE TABLE neighbours.goose_db_version AS SELECT 1 AS id, 900000::bigint AS version_id")
	copied := pgDump(t, as(t, from, "postgres"))
	for _, force := range []bool{false, true} {
		if err := restore(to, bytes.NewReader(copied), force); err != nil {
			t.Fatalf("with force %v: %v", force, err)
		}
		wantBooks(t, to, had)
	}
	if n := number(t, to, "SELECT count(*) FROM pg_namespace WHERE nspname = 'neighbours'"); n != 0 {
		t.Error("the schema of somebody else's was restored, too")
	}
}

// TestEverythingInTheSchemaComesBack compares what pg_dump writes of both, records
// with all kinds of characters as well.
func TestEverythingInTheSchemaComesBack(t *testing.T) {
	t.Parallel()
	from, to := pgtest.URL(t), pgtest.URL(t)
	s := open(t, from)
	for _, text := range []string{`\.`, "COPY books FROM stdin;", "tab\tand\nline", `back\slash \N`, "Ünïcödé 🕮", strings.Repeat("long ", 50)} {
		testkit.NoError(t, testkit.Err(s.service.AddBook(t.Context(), s.curator, "", library.BookFields{Title: "A title", Description: text + "\n\\.\n" + text}, 1)))
	}
	s.store.Close()
	for _, statement := range []string{"CREATE VIEW titles AS SELECT title FROM books", "CREATE TYPE mood AS ENUM ('sad', 'ok')", "COMMENT ON TABLE books IS 'ours; -- Name: x'",
		"CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM books", "CREATE VIEW one AS SELECT 1 AS one",
		"UPDATE outbox SET paused = TRUE"} { // as a restored library is
		execSQL(t, from, statement)
	}
	copied := dumpOf(t, from)
	for _, force := range []bool{false, true} {
		if err := restore(to, bytes.NewReader(copied), force); err != nil {
			t.Fatalf("with force %v: %v", force, err)
		}
		if diff := cmp.Diff(scriptOf(t, from), scriptOf(t, to)); diff != "" {
			t.Errorf("with force %v (-before +restored)\n%s", force, diff)
		}
	}
}

// scriptOf is a whole database as text, without the words for psql that are never the same, and without parentheses: of
// three conditions the server keeps those that it was given.
func scriptOf(t testing.TB, address string) (lines []string) {
	t.Helper()
	out, err := exec.Command("pg_dump", "--dbname="+address).Output()
	testkit.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, `\restrict `) && !strings.HasPrefix(line, `\unrestrict `) {
			lines = append(lines, strings.NewReplacer("(", "", ")", "").Replace(line))
		}
	}
	return lines
}

func TestABackupOfAnotherSchemaIsNotRestoredBesideTheLibrary(t *testing.T) {
	t.Parallel()
	from, to := pgtest.URL(t), pgtest.URL(t)
	addTo(t, from, 1)
	execSQL(t, to, "CREATE SCHEMA lib")
	err := restore(in(to, "lib"), bytes.NewReader(dumpOf(t, from)), true)
	if err == nil || !strings.Contains(err.Error(), `"public"`) || !strings.Contains(err.Error(), `"lib"`) {
		t.Errorf("it says %v", err)
	}
	if n := tables(t, to); n != 0 {
		t.Errorf("%d tables are in the other schema", n)
	}
}

func TestASchemaThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	from, to := pgtest.URL(t), pgtest.URL(t)
	addTo(t, from, 1)
	copied := dumpOf(t, from)
	if err := restore(in(to, "nowhere"), bytes.NewReader(copied), false); err == nil || !strings.Contains(err.Error(), "CREATE SCHEMA") {
		t.Errorf("restore says %v", err)
	}
	if err := backup.WriteTo(t.Context(), sourceOf(in(from, "nowhere")), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "search_path") {
		t.Errorf("backup says %v", err)
	}
}

func TestATableThatMayNotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	from := pgtest.URL(t)
	addTo(t, from, 1)
	execSQL(t, as(t, from, "postgres"), `CREATE TABLE public."Audit" (id INT)`)
	err := backup.WriteTo(t.Context(), sourceOf(from), &bytes.Buffer{})
	for _, want := range []string{`public."Audit"`, "SET SCHEMA", "GRANT SELECT"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, without %q", err, want)
		}
	}
}

func TestAServerOfAnotherRoleIsSeen(t *testing.T) {
	t.Parallel()
	from, to := pgtest.URL(t), pgtest.URL(t)
	addTo(t, from, 1)
	copied := dumpOf(t, from)
	had := addTo(t, to, 2)
	db, err := sql.Open("pgx", as(t, to, "another server"))
	testkit.NoError(t, err)
	defer db.Close()
	testkit.NoError(t, db.Ping())
	err = restore(to, bytes.NewReader(copied), true)
	for _, want := range []string{"1 connection", "another server", "stop the server"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, without %q", err, want)
		}
	}
	wantBooks(t, to, had)
}

// TestALibraryThatLacksATableIsNoGoodBackup drops a table, so that the backup fails:
// with a schedule, bad backups would push out the good ones.
func TestALibraryThatLacksATableIsNoGoodBackup(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		had := addTo(t, from, 1)
		good := dumpOf(t, from)
		isSQLite := strings.HasPrefix(from, "sqlite:")
		for _, table := range []string{"holds", "policy", "books"} {
			statement := "DROP TABLE " + table + " CASCADE"
			if isSQLite {
				statement = "PRAGMA foreign_keys = 0; DROP TABLE " + table
			}
			execSQL(t, from, statement)
			err := backup.WriteTo(context.Background(), sourceOf(from), &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), table) || !strings.Contains(err.Error(), "restore") {
				t.Errorf("without %s, backup says %v", table, err)
			}
			var copied []byte
			if isSQLite {
				plain, err := os.ReadFile(sqliteFile(from))
				testkit.NoError(t, err)
				copied = pack(t, plain)
			} else {
				copied = pgDump(t, from)
			}
			if err := restore(to, bytes.NewReader(copied), false); err == nil || !strings.Contains(err.Error(), table) {
				t.Errorf("without %s, restore says %v", table, err)
			}
		}
		if err := restore(from, bytes.NewReader(good), true); err != nil {
			t.Fatalf("a good backup is not restored over what is left: %v", err)
		}
		wantBooks(t, from, had)
	})
}
