package backup

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// TestArgumentsOfPostgresOwnPrograms is about addresses as variables.
func TestArgumentsOfPostgresOwnPrograms(t *testing.T) {
	always := map[string]string{"PGAPPNAME": dumpName, "PGCONNECT_TIMEOUT": "10"}
	for _, c := range []struct {
		rule, address, inherited string
		want                     map[string]string
	}{
		{"one server is taken as it is", "postgres://u:p@a:6432/lib", "",
			map[string]string{"PGHOST": "a", "PGPORT": "6432", "PGUSER": "u", "PGPASSWORD": "p", "PGDATABASE": "lib"}},
		{"of several the one that takes changes", "postgres://a:1,b:2/lib", "",
			map[string]string{"PGHOST": "a,b", "PGPORT": "1,2", "PGDATABASE": "lib", "PGTARGETSESSIONATTRS": "read-write"}},
		{"of several in the options, too", "postgres:///lib?host=a,b", "",
			map[string]string{"PGHOST": "a,b", "PGDATABASE": "lib", "PGTARGETSESSIONATTRS": "read-write"}},
		{"unless the address says something", "postgres://a,b/lib?target_session_attrs=prefer-standby", "",
			map[string]string{"PGHOST": "a,b", "PGDATABASE": "lib", "PGTARGETSESSIONATTRS": "prefer-standby"}},
		{"or the environment does", "postgres://a,b/lib", "any", map[string]string{"PGHOST": "a,b", "PGDATABASE": "lib"}},
		{"a port belongs to its host", "postgres://a,b:6432/lib?target_session_attrs=any", "",
			map[string]string{"PGHOST": "a,b", "PGPORT": ",6432", "PGDATABASE": "lib", "PGTARGETSESSIONATTRS": "any"}},
		{"a plus is a plus", "postgres://a/lib?password=p+w%20d", "", map[string]string{"PGHOST": "a", "PGDATABASE": "lib", "PGPASSWORD": "p+w d"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Setenv("PGTARGETSESSIONATTRS", c.inherited)
			list, err := libpqSettings(c.address)
			testkit.NoError(t, err)
			got := map[string]string{}
			for _, setting := range list {
				name, value, _ := strings.Cut(setting, "=")
				got[name] = value
			}
			want := maps.Clone(always)
			maps.Copy(want, c.want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestOnlySQLReachesTheServer is about what different versions of pg_restore write.
func TestOnlySQLReachesTheServer(t *testing.T) {
	t.Parallel()
	const object = "\n-- Name: f; Type: FUNCTION\n--\nCREATE FUNCTION f() RETURNS text AS $$\n\\restrict mine\nSET transaction_timeout = 0;\n$$;\n"
	for _, c := range []struct{ rule, script, want string }{
		{"what is SQL stays as it is", "--\nSET lock_timeout = 0;\n" + object, "--\nSET lock_timeout = 0;\n" + object},
		{"what is meant for psql does not", "--\n\\restrict w0rd\nSET lock_timeout = 0;\n" + object + "--\n\\unrestrict w0rd\n\n",
			"--\nSET lock_timeout = 0;\n" + object + "--\n\n"},
		{"nor in a section with nothing in it", "--\n\\restrict w0rd\nSET lock_timeout = 0;\n\\unrestrict w0rd\n", "--\nSET lock_timeout = 0;\n"},
		{"nor a setting that older servers do not know", "SET transaction_timeout = 0;\nSET lock_timeout = 0;\n" + object, "SET lock_timeout = 0;\n" + object},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, onlySQL(c.script)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRecordsEndWithTheirMark(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		rule, script, want, left string
		err                      error
	}{
		{"none", "\\.\nnext", "", "next", nil},
		{"some", "1\ta\n2\tb\n\\.\nnext", "1\ta\n2\tb\n", "next", nil},
		{"a long one that looks like the end in the middle", long + "\\.\n\\.\nnext", long + "\\.\n", "next", nil},
		{"one that begins like the end", "\\.x\n\\.\n", "\\.x\n", "", nil},
		{"the end is missing", "1\ta\n", "1\ta\n", "", errNoEnd},
		{"the last one is cut off", "1\ta\n2", "1\ta\n", "", errNoEnd},
		{"the mark is cut off", "1\ta\n\\.", "1\ta\n", "", errNoEnd},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			lines := bufio.NewReaderSize(strings.NewReader(c.script), 16)
			got, err := io.ReadAll(&recordReader{lines: lines, isStart: true})
			left, _ := io.ReadAll(lines)
			if string(got) != c.want || string(left) != c.left || err != c.err {
				t.Errorf("%q, then %q, and %v; want %q, then %q, and %v", got, left, err, c.want, c.left, c.err)
			}
		})
	}
}

// TestALostConfirmationIsNotTakenForAFailure ends a restore in several ways.
func TestALostConfirmationIsNotTakenForAFailure(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	database := postgresDatabase{address}
	for _, c := range []struct {
		rule, before  string
		isUnconfirmed bool
		says          string
	}{
		{"all is well", `SELECT 1`, false, ""},
		{"a statement has failed", `SELECT 1 / 0`, false, "changed nothing"},
		{"the connection is gone", `SELECT pg_terminate_backend(pg_backend_pid())`, true, "look whether it is"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			conn, err := database.connect(t.Context())
			testkit.NoError(t, err)
			defer conn.Close(context.Background())
			testkit.NoError(t, testkit.Err(conn.Exec(t.Context(), `BEGIN`)))
			conn.Exec(t.Context(), c.before) // may fail
			err = commitRestored(t.Context(), conn, restoreTimeout)
			if errors.Is(err, ErrUnconfirmed) != c.isUnconfirmed || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// TestTheLibraryOfACopyIsFound is about copies of whole databases.
func TestTheLibraryOfACopyIsFound(t *testing.T) {
	t.Parallel()
	table := func(schema, name string) string {
		return "215; 1259 16397 TABLE " + schema + " " + name + " some body\n3301; 0 16397 TABLE DATA " + schema + " " + name + " some body\n"
	}
	whole := func(schema string) string {
		return table(schema, "goose_db_version") + table(schema, "books") + table(schema, "loans")
	}
	for _, c := range []struct{ rule, list, want, says string }{
		{"it is alone", ";\n; Archive created at 2026\n" + whole("public"), "public", ""},
		{"its schema has a space", whole("my lib"), "my lib", ""},
		{"a neighbour has migrations, too", table("app", "goose_db_version") + whole("lib") + table("zoo", "goose_db_version"), "lib", ""},
		{"a neighbour has books, too", table("app", "goose_db_version") + table("app", "books") + whole("lib"), "lib", ""},
		{"there is none", table("app", "goose_db_version"), "", "another program"},
		{"there are two", whole("one") + whole("two"), "", "two libraries"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got, err := parseArchive(c.list).schema()
			if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v; want %q, %q", got, err, c.want, c.says)
			}
		})
	}
}

// TestACopyIsForItsOwnerAloneFromTheStart looks at the file itself: the folder that it is in may be anywhere.
func TestACopyIsForItsOwnerAloneFromTheStart(t *testing.T) {
	t.Parallel()
	for dialect, address := range map[string]string{"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "library.db"), "postgres": pgtest.URL(t)} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			wantPrivateCopy(t, address)
		})
	}
}

func wantPrivateCopy(t *testing.T, address string) {
	t.Helper()
	s, err := sqlstore.Open(context.Background(), address)
	testkit.NoError(t, err)
	defer s.Close()
	testkit.NoError(t, testkit.Err(s.Migrate(context.Background())))
	database, err := NewDatabase(address)
	testkit.NoError(t, err)
	file := filepath.Join(t.TempDir(), "copy")
	testkit.NoError(t, database.Dump(context.Background(), file, func(string, int64, int64) {}))
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the rights are %v (%v)", info.Mode(), err)
	}
}
