package bench

import (
	"flag"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// Large libraries take minutes to make. They can be kept and measured again.
var (
	keptIn     = flag.String("kept", "", "a folder in which the SQLite libraries of growth are kept")
	keptServer = flag.String("server", "", "the postgres:// address of a server on this machine on which the libraries of growth are kept")
)

// libraryOf is a library of some size, made now or kept since it was measured last.
func libraryOf(t *testing.T, name string, size int) (database string) {
	t.Helper()
	switch {
	case name == "sqlite" && *keptIn != "":
		database = fmt.Sprintf("sqlite:%s", filepath.Join(*keptIn, fmt.Sprintf("growth-%d.db", size)))
	case name == "postgres" && *keptServer != "":
		database = keptDatabase(t, fmt.Sprintf("growth_%d", size))
	default:
		database = databases[name](t)
	}
	began, load := time.Now(), loadAverage(t)
	if added := fillLibrary(t, database, size, catalogue(t, size)); added > 0 {
		analyze(t, database)
		t.Logf("%s: %d books added in %v (load average %s before, %s after)", name, added, time.Since(began).Round(time.Second), load, loadAverage(t))
	}
	return database
}

// keptDatabase is a database of the server at -server, created if it is not there.
func keptDatabase(t *testing.T, name string) string {
	t.Helper()
	db := openBare(t, *keptServer)
	var isThere bool
	testkit.NoError(t, db.QueryRow(`SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(&isThere))
	if !isThere {
		_, err := db.Exec(`CREATE DATABASE ` + name)
		testkit.NoError(t, err)
	}
	address, err := url.Parse(*keptServer)
	testkit.NoError(t, err)
	address.Path = "/" + name
	return address.String()
}

// fillLibrary adds the books that are missing, and is how many those were. It goes on where it
// was broken off on SQLite alone: elsewhere batches come in any order.
func fillLibrary(t *testing.T, database string, size int, book func(i int) library.Book) (added int) {
	t.Helper()
	ctx := library.WithStoreTimeout(t.Context(), 10*time.Minute)
	store, err := sqlstore.Open(ctx, database)
	testkit.NoError(t, err)
	defer store.Close()
	_, err = store.Migrate(ctx)
	testkit.NoError(t, err)
	testkit.NoError(t, service.New(store).Prepare(ctx, service.Setup{Samples: sample.Basic}))
	there, err := store.CountBooks(ctx, library.BookQuery{})
	testkit.NoError(t, err)
	const batch, adders = 500, 4 // which wait for each other on SQLite
	var next atomic.Int64
	next.Store(int64(there / batch * batch))
	if there < size {
		book(0) // the records are read, or the test ends, before others begin
	}
	var all sync.WaitGroup
	for range adders {
		all.Go(func() {
			for from := int(next.Add(batch)) - batch; from < size && !t.Failed(); from = int(next.Add(batch)) - batch {
				books := make([]library.Book, 0, batch)
				for i := from; i < min(from+batch, size); i++ {
					books = append(books, book(i))
				}
				if err := store.Tx(ctx, func(tx library.Tx) error { return tx.AddBooks(ctx, books) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	return max(size-there, 0)
}

// analyze does what PostgreSQL's autovacuum would do within minutes, and which would be
// measured, too: its processes are the server's.
func analyze(t *testing.T, database string) {
	t.Helper()
	if strings.HasPrefix(database, "sqlite:") {
		return
	}
	if _, err := openBare(t, database).Exec("VACUUM ANALYZE"); err != nil {
		t.Fatal(err)
	}
}
