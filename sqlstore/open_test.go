package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text.db")
	testkit.NoError(t, os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o600))
	const secret = "s3cr3t"
	for address, want := range map[string]string{
		"":                         "sqlite:library.db",
		"library.db":               "sqlite:library.db",
		"mysql://root@localhost/x": "postgres://",
		"sqlite:":                  "names no file",
		"sqlite::memory:":          "in a file",
		"sqlite://library.db":      "sqlite:library.db",
		"sqlite:a\x00b":            "NUL",
		"sqlite:" + filepath.Join(t.TempDir(), "missing", "library.db"): "folder",
		"sqlite:" + t.TempDir(): "directory",
		"sqlite:" + text:        "not a SQLite database",
		"postgres:":             "not a URL",
		"postgres://user:" + secret + "/x@localhost/library":                     "percent-encoded",
		"postgres://user:" + secret + "%@localhost/library":                      "percent-encoded",
		"postgres://user:p@" + secret + "/w:rd@localhost/library":                "percent-encoded",
		"postgres://user:" + secret + "@localhost:port/library":                  "percent-encoded",
		"postgres://user:" + secret + "@localhost/library?sslmode=" + secret:     "cannot be used",
		"postgresql://user:" + secret + "@127.0.0.1:1/library?connect_timeout=2": "connect to PostgreSQL",
	} {
		store, err := sqlstore.Open(t.Context(), address)
		switch {
		case err == nil:
			store.Close()
			t.Errorf("%q was opened", address)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%q: error %q does not say %q", address, err, want)
		case strings.Contains(err.Error(), secret):
			t.Errorf("the error shows the password: %q", err)
		}
	}
}

// TestALinkToTheDatabaseIsNeverStale puts a wal-index of nobody's beside a link:
// SQLite's own is beside the file that the link leads to.
func TestALinkToTheDatabaseIsNeverStale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(t.TempDir(), "library.db"), filepath.Join(dir, "link.db")
	direct := open(t, "sqlite:"+file)
	testkit.NoError(t, errors.Join(os.Symlink(file, link), os.WriteFile(link+"-shm", make([]byte, 32<<10), 0o600)))
	linked := open(t, "sqlite:"+link)
	lib := service.New(direct)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	clark, _, err := lib.Caller(t.Context(), "clark.kent@example.com")
	testkit.NoError(t, err)
	admin := library.Actor{User: clark, Authorities: clark.Authorities()}
	for i := range 20 {
		fields := library.UserFields{Email: fmt.Sprintf("u%d@example.com", i), FirstName: "U", LastName: "U"}
		u, err := lib.AddUser(t.Context(), admin, "", fields)
		testkit.NoError(t, err)
		if _, _, err := linked.UserByEmail(t.Context(), fields.Email); err != nil {
			t.Fatalf("user %d was added, but: %v", i, err)
		}
		testkit.NoError(t, lib.RemoveUser(t.Context(), admin, u.ID, nil))
		if _, _, err := linked.UserByEmail(t.Context(), fields.Email); !errors.Is(err, library.ErrUserNotFound) {
			t.Fatalf("user %d was removed, but: %v", i, err)
		}
	}
}

func TestSQLiteFileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"library.db", "with space.db", "what?mode=memory", "hash#tag.db", "per%20cent%.db", "plus+and&and=.db", "ünï.db", "'quote'.db", ":memory:x", "file:x.db",
	} {
		path := filepath.Join(t.TempDir(), name)
		store := open(t, "sqlite:"+path)
		if err := store.Ping(t.Context()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		testkit.NoError(t, err)
		for _, e := range entries {
			info, err := e.Info()
			testkit.NoError(t, err)
			if !strings.HasPrefix(e.Name(), name) || info.Mode().Perm() != 0o600 {
				t.Errorf("%q: found file %q with mode %v", name, e.Name(), info.Mode())
			}
		}
	}
}

func TestSQLiteRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	open(t, "sqlite:library.db")
	if _, err := os.Stat("library.db"); err != nil {
		t.Error(err)
	}
	open(t, "sqlite://"+filepath.Join(t.TempDir(), "absolute.db"))
}

func TestSQLiteNoticesThatItsFileIsGone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "library.db")
	store := open(t, "sqlite:"+path)
	for _, remove := range []func() error{
		func() error { return os.Rename(path, path+".old") },
		func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		testkit.NoError(t, remove())
		err := store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), book("Emma")) })
		if err == nil {
			t.Error("a write to a file that is gone succeeded")
		}
		if err := store.Ping(t.Context()); err == nil {
			t.Error("a file that is gone can be pinged")
		}
	}
}

func TestFullDiskIsAnError(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	kept := book("Emma")
	add := func(b library.Book) error {
		return store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) })
	}
	testkit.NoError(t, add(kept))
	sqlstore.LimitPages(t, store)
	var err error
	for i := 0; err == nil && i < 100; i++ {
		b := book("Big")
		b.Description = strings.Repeat("x ", 5000)
		err = add(b)
	}
	if !errors.Is(err, library.ErrUnavailable) || !strings.Contains(err.Error(), "full") {
		t.Errorf("got error %v, want one that says that the disk is full", err)
	}
	if _, err := store.Book(t.Context(), kept.ID, ""); err != nil {
		t.Errorf("what was there is gone: %v", err)
	}
}

func TestDatabaseThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store := open(t, address)
	admin, err := sql.Open("pgx", address)
	testkit.NoError(t, err)
	defer admin.Close()
	b := book("Emma")
	err = store.Tx(t.Context(), func(tx library.Tx) error {
		if err := tx.AddBook(t.Context(), b); err != nil {
			return err
		}
		_, err := admin.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE application_name = 'library' AND datname = current_database()`)
		return err
	})
	if err == nil {
		t.Error("a commit on a lost connection succeeded")
	}
	// The store finds its way back.
	ctx := testkit.Context(t)
	for {
		_, err := store.Book(ctx, b.ID, "")
		if errors.Is(err, library.ErrBookNotFound) {
			return
		}
		if err == nil || ctx.Err() != nil {
			t.Fatalf("got error %v, want that the book is not found", err)
		}
	}
}

func book(title string) library.Book {
	return library.Book{
		ID: library.NewID(), BookFields: library.BookFields{Title: title}.Complete(), Created: time.UnixMicro(1).UTC(), Version: "1",
		Stock: library.Stock{Copies: 1, Available: 1},
	}
}
