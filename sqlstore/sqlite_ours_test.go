package sqlstore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// makeSQLite makes a SQLite file without our help.
func makeSQLite(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	testkit.NoError(t, err)
	defer db.Close()
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return path
}

func migrated(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "library.db")
	store, err := sqlstore.Open(t.Context(), "sqlite:"+path)
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(store.Migrate(t.Context())))
	testkit.NoError(t, store.Close())
	return path
}

// TestAFileThatIsNotOursIsLeftAsItIs opens files that are not new and have no
// library in them.
func TestAFileThatIsNotOursIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	const wal = `PRAGMA journal_mode = WAL`
	truncated := func() string {
		path := migrated(t)
		testkit.NoError(t, os.Truncate(path, 3*4096))
		return path
	}
	for name, c := range map[string]struct{ path, says string }{
		"another program's":                   {makeSQLite(t, `CREATE TABLE notes (text)`), "belongs to another program"},
		"another program's with a log":        {makeSQLite(t, wal, `CREATE TABLE notes (text)`), "belongs to another program"},
		"marked as another program's":         {makeSQLite(t, `PRAGMA application_id = 7`), "belongs to another program"},
		"migrated by another program":         {makeSQLite(t, `CREATE TABLE goose_db_version (id)`, `CREATE TABLE notes (text)`), "belongs to another program"},
		"without tables":                      {makeSQLite(t, wal), "has no tables"},
		"without tables, though marked ours":  {makeSQLite(t, `PRAGMA application_id = 1281974898`), "has no tables"},
		"cut off":                             {truncated(), "damaged"},
		"empty, with a log of something else": {emptyWithLog(t), "has no tables"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := contents(t, c.path)
			store, err := sqlstore.Open(t.Context(), "sqlite:"+c.path)
			if err == nil {
				store.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("got error %q, want one with %q and the file's name", err, c.says)
			}
			after := contents(t, c.path)
			for file, content := range before {
				if !bytes.Equal(after[file], content) {
					t.Errorf("%s has been changed", file)
				}
			}
			if len(after) != len(before) {
				t.Errorf("there were %d files, now there are %d", len(before), len(after))
			}
		})
	}
}

func emptyWithLog(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "library.db")
	testkit.NoError(t, errors.Join(os.WriteFile(path, nil, 0o600), os.WriteFile(path+"-wal", nil, 0o600)))
	return path
}

// contents are those of all files beside a file, except the one in which SQLite counts
// its connections.
func contents(t *testing.T, path string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	testkit.NoError(t, err)
	out := map[string][]byte{}
	for _, file := range files {
		if strings.HasSuffix(file, "-shm") {
			continue
		}
		if out[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestAFileFromBeforeTheMarkIsMarked takes the mark away, as if an earlier
// version had made the file.
func TestAFileFromBeforeTheMarkIsMarked(t *testing.T) {
	t.Parallel()
	path := migrated(t)
	mark := func() (id int) {
		db, err := sql.Open("sqlite", path)
		testkit.NoError(t, err)
		defer db.Close()
		testkit.NoError(t, db.QueryRow(`PRAGMA application_id`).Scan(&id))
		_, err = db.Exec(`PRAGMA application_id = 0`)
		testkit.NoError(t, err)
		return id
	}
	first := mark()
	open(t, "sqlite:"+path)
	if again := mark(); first == 0 || again != first {
		t.Errorf("a new file is marked %d, an old one %d", first, again)
	}
}

// TestTheFileAloneIsNeverFarBehind copies the file without its log, while it is
// open.
func TestTheFileAloneIsNeverFarBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "library.db")
	store := open(t, "sqlite:"+path)
	b := book("Emma")
	testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
	deadline := time.Now().Add(testkit.Timeout(t))
	for {
		content, err := os.ReadFile(path)
		testkit.NoError(t, err)
		copied := filepath.Join(t.TempDir(), "copy.db")
		testkit.NoError(t, os.WriteFile(copied, content, 0o600))
		if _, err = open(t, "sqlite:"+copied).Book(t.Context(), b.ID, ""); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the file alone does not have the book: %v", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestCheckpointsLeaveTheRevision is for the answers that callers keep.
func TestCheckpointsLeaveTheRevision(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "library.db")
	store := open(t, "sqlite:"+path)
	testkit.NoError(t, service.New(store).Prepare(t.Context(), service.Setup{Admin: "a@example.com"}))
	_, before, err := store.UserByEmail(t.Context(), "a@example.com")
	testkit.NoError(t, err)
	sqlstore.Exec(t, store, `PRAGMA wal_checkpoint(PASSIVE)`)
	if _, after, err := store.UserByEmail(t.Context(), "a@example.com"); err != nil || after != before {
		t.Errorf("the revision was %v and is %v (%v)", before, after, err)
	}
}
