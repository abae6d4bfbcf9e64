package bench

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

const (
	base   = "/library-server"
	reader = "bruce.wayne@example.com"
	book   = "/books/f9bf70d6-e56d-4cab-be6b-294cd05f599f"
	conns  = 16
)

// databases are the kinds of database, each made anew for a test.
var databases = map[string]func(t *testing.T) string{
	"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "library.db") },
	"postgres": func(t *testing.T) string { return pgtest.URL(t, pgtest.Durable()) },
}

func TestReadingComparedWithABareHandler(t *testing.T) {
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			_, addr, idp := startLibrary(t, newDatabase(t))
			token := idp.Token(t, reader, "library_user email profile")
			for _, path := range []string{"/books", book} {
				req := request("GET", base+path, token)
				header, body := fetch(t, addr, req)
				plain := startBare(t, answer{Header: http.Header{"Content-Type": header["Content-Type"]}, Body: body})
				alike := startBare(t, answer{Header: header, Body: body, Limits: true})
				compare(t, name+" GET "+strings.ReplaceAll(path, book, "/books/{id}"),
					func() float64 { return httpRate(t, addr, req, conns, *period) },
					reference{"a bare handler that writes the same body", 0.85, func() float64 { return httpRate(t, plain, req, conns, *period) }},
					reference{"a bare handler with the same headers and time-outs", 0.85, func() float64 { return httpRate(t, alike, req, conns, *period) }})
			}
		})
	}
}

// openBare opens the database with the settings that make its transactions as
// durable as ours.
func openBare(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", url
	path, isSQLite := strings.CutPrefix(url, "sqlite:")
	if isSQLite {
		driver = "sqlite"
		dsn = "file:" + path + "?_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, dsn)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	if isSQLite {
		db.SetMaxOpenConns(1) // writers queue
	}
	return db
}

func bookID(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// addBooks makes a library with the sample users and n more books.
func addBooks(t *testing.T, url string, n int) {
	t.Helper()
	addBooksLike(t, url, n, generated)
}

func addBooksLike(t *testing.T, url string, n int, generated func(i int) library.Book) {
	t.Helper()
	ctx := library.WithStoreTimeout(t.Context(), time.Minute) // thousands in one transaction
	store, err := sqlstore.Open(ctx, url)
	testkit.NoError(t, err)
	defer store.Close()
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	testkit.NoError(t, service.New(store).Prepare(ctx, service.Setup{Samples: sample.Basic}))
	const batch = 1000
	for from := 0; from < n; from += batch {
		err := store.Tx(ctx, func(tx library.Tx) error {
			for i := from; i < min(from+batch, n); i++ {
				if err := tx.AddBook(ctx, generated(i)); err != nil {
					return err
				}
			}
			return nil
		})
		testkit.NoError(t, err)
	}
}
