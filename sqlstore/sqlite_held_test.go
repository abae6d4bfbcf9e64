package sqlstore_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/storetest/bookgen"
)

// another is another program that uses the same file.
func another(t *testing.T, path string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	testkit.NoError(t, err)
	conn, err := db.Conn(context.Background())
	testkit.NoError(t, err)
	t.Cleanup(func() { conn.Close(); db.Close() })
	return conn
}

func execute(t *testing.T, conn *sql.Conn, text string) {
	t.Helper()
	testkit.NoError(t, testkit.Err(conn.ExecContext(context.Background(), text)))
}

// TestAFileThatAnotherProgramHoldsIsWaitedForOnce has many who want to write while
// the file is held, all at once and then one after the other.
func TestAFileThatAnotherProgramHoldsIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "library.db")
	store := open(t, "sqlite:"+path)
	other := another(t, path)
	books := slices.Collect(bookgen.Books(100))
	add := func(i int) error {
		return store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), books[i]) })
	}
	execute(t, other, `BEGIN IMMEDIATE`)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range 80 { // more than a batch
		wg.Go(func() {
			if err := add(i); !errors.Is(err, library.ErrUnavailable) {
				t.Errorf("of many: %v", err)
			}
		})
	}
	wg.Wait()
	if took := time.Since(began); took > testkit.Bound(8*time.Second) {
		t.Errorf("the first wait took %v", took)
	}
	began = time.Now()
	for i := range 10 {
		if err := add(i); !errors.Is(err, library.ErrUnavailable) {
			t.Errorf("one after the other: %v", err)
		}
	}
	if took := time.Since(began); took > testkit.Bound(2*time.Second) {
		t.Errorf("ten more waited %v while the file is known to be held", took)
	}
	if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "locked by another program") {
		t.Errorf("ready: %v", err)
	}
	if _, err := store.CountBooks(t.Context(), library.BookQuery{}); err != nil {
		t.Errorf("reading: %v", err)
	}
	execute(t, other, `ROLLBACK`)
	testkit.Eventually(t, "it heals by itself", func() bool { return store.Ping(t.Context()) == nil })
	if err := add(99); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if n, err := store.CountBooks(t.Context(), library.BookQuery{}); err != nil || n != 1 {
		t.Errorf("%d books, %v; nothing that was refused may be there", n, err)
	}
}

// TestADamagedFileIsNotReady damages one page, which only some requests come to.
func TestADamagedFileIsNotReady(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "library.db")
	whole := sampled(t, path)
	root := rootPage(t, path, "books")
	damaged := slices.Clone(whole)
	size := int(binary.BigEndian.Uint16(whole[16:])) // of a page
	for i := range size {
		damaged[(root-1)*size+i] = 0xff
	}
	testkit.NoError(t, os.WriteFile(path, damaged, 0o600))
	store, err := sqlstore.Open(t.Context(), "sqlite:"+path)
	testkit.NoError(t, err)
	defer store.Close()
	if err := store.Ping(t.Context()); err != nil {
		t.Fatalf("before anybody has noticed: %v", err)
	}
	if _, err := store.Books(t.Context(), library.BookQuery{Limit: 10}); !errors.Is(err, library.ErrUnavailable) {
		t.Fatalf("a request that comes to the damaged page: %v", err)
	}
	for range 3 {
		if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("ready: %v", err)
		}
	}
}

// sampled makes a library with some books and returns its file.
func sampled(t *testing.T, path string) []byte {
	t.Helper()
	store := open(t, "sqlite:"+path)
	err := store.Tx(t.Context(), func(tx library.Tx) error {
		return tx.AddBooks(t.Context(), slices.Collect(bookgen.Books(200)))
	})
	testkit.NoError(t, err)
	testkit.NoError(t, store.Close())
	execute(t, another(t, path), `PRAGMA wal_checkpoint(TRUNCATE)`)
	content, err := os.ReadFile(path)
	testkit.NoError(t, err)
	return content
}

func rootPage(t *testing.T, path, table string) (page int) {
	t.Helper()
	other := another(t, path)
	testkit.NoError(t, other.QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_schema WHERE name = $1`, table).Scan(&page))
	return page
}
