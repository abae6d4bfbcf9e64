package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// changesFrom reads until n changes have come from a position on.
func changesFrom(t *testing.T, store *sqlstore.Store, at library.Position, n int) []library.Change {
	t.Helper()
	var all []library.Change
	for deadline := time.Now().Add(testkit.Timeout(t)); len(all) < n; {
		changes, err := store.Changes(t.Context(), at, 500)
		testkit.NoError(t, err)
		if len(changes) > 0 {
			all, at = append(all, changes...), changes[len(changes)-1].Position
		} else if time.Now().After(deadline) {
			t.Fatalf("%d changes, want %d", len(all), n)
		}
	}
	return all
}

func lastChange(t *testing.T, store *sqlstore.Store) library.Position {
	t.Helper()
	p, err := store.LastChange(t.Context())
	testkit.NoError(t, err)
	return p
}

// hands are transactions by hand, for what needs several open at once.
func hands(t *testing.T, address string, n int) []*sql.Tx {
	t.Helper()
	db, err := sql.Open("pgx", address)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	all := make([]*sql.Tx, n)
	for i := range all {
		if all[i], err = db.BeginTx(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { all[i].Rollback() })
	}
	return all
}

const insertBook = `INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, created_at, version, search_words, author_words)
	VALUES ($1, '', '', '', '', '', '[]', 1, '1', '', '')`

// publishEvent is what a transaction of the program ends with.
const publishEvent = `INSERT INTO changes (kind, subject, borrowed) VALUES ($1, $2, $1 = 'borrowed')`

func TestTransactionsThatCommitInReverseOrderLoseNothing(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store := open(t, address)
	start := lastChange(t, store)
	pair := hands(t, address, 2)
	testdb.Exec(t, pair[0], insertBook, "first")
	testdb.Exec(t, pair[0], publishEvent, "added", "first")
	testdb.Exec(t, pair[1], insertBook, "second")
	testdb.Exec(t, pair[1], publishEvent, "added", "second")
	testkit.NoError(t, pair[1].Commit())
	for range 20 { // the second is committed, but nothing may be read past the first
		if changes, err := store.Changes(t.Context(), start, 10); len(changes) > 0 || err != nil {
			t.Fatalf("while a transaction with a lower number is open: %v, error %v", changes, err)
		}
		if last := lastChange(t, store); last != start {
			t.Fatalf("the last change is at %+v while a transaction with a lower number is open", last)
		}
	}
	testkit.NoError(t, pair[0].Commit())
	got := changesFrom(t, store, start, 2)
	if got[0].ID != "first" || got[1].ID != "second" {
		t.Errorf("got %v", got)
	}
}

// TestChangesOfABookAreInTheOrderInWhichTheyHappened lets a transaction with the
// lower number wait for one with the higher: the number is not what counts.
func TestChangesOfABookAreInTheOrderInWhichTheyHappened(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store := open(t, address)
	start := lastChange(t, store)
	testkit.NoError(t, service.New(store).Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	const lend = `INSERT INTO loans (id, book_id, copy_id, book_title, user_id, borrowed_at)
		SELECT $1, book_id, id, '', (SELECT max(id) FROM users), 1 FROM copies
		WHERE book_id = (SELECT max(id) FROM books WHERE id < 'older')`
	sqlstore.Exec(t, store, lend, "one")
	sqlstore.Exec(t, store, publishEvent, "borrowed", "book")
	pair := hands(t, address, 2)
	testdb.Exec(t, pair[0], insertBook, "older") // gets the lower number
	testdb.Exec(t, pair[1], `UPDATE loans SET returned_at = 2 WHERE id = $1`, "one")
	testdb.Exec(t, pair[1], publishEvent, "returned", "book")
	testkit.NoError(t, pair[1].Commit())
	testdb.Exec(t, pair[0], lend, "two")
	testdb.Exec(t, pair[0], publishEvent, "borrowed", "book")
	testkit.NoError(t, pair[0].Commit())
	var loans []library.ChangeKind
	for _, c := range changesFrom(t, store, start, 13) { // ten samples and three of this test
		if c.Kind != library.BookAdded {
			loans = append(loans, c.Kind)
		}
	}
	if want := []library.ChangeKind{library.BookBorrowed, library.BookReturned, library.BookBorrowed}; !slices.Equal(loans, want) {
		t.Errorf("got %v, want %v", loans, want)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			add := func(id string) {
				b := book("Emma")
				b.ID = id
				testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
			}
			beginning := lastChange(t, store)
			add("early")
			early := changesFrom(t, store, beginning, 1)[0].Position
			for range 14 {
				sqlstore.AddChanges(t, store, 1000)
			}
			// Other transactions on the same server may put it off.
			var oldest library.Position
			testkit.Eventually(t, "the oldest changes are dropped", func() bool {
				sqlstore.AddChanges(t, store, 128)
				var kept int
				oldest, kept = sqlstore.OldestChange(t, store)
				if kept < 10_000 {
					t.Fatalf("only %d changes are kept", kept)
				}
				return kept < 12_000
			})
			for _, p := range []library.Position{beginning, early} {
				if _, err := store.Changes(t.Context(), p, 1); !errors.Is(err, library.ErrPositionLost) {
					t.Errorf("a change that is 14,000 back: error %v", err)
				}
			}
			// From the oldest that is kept on, there is no gap.
			all := changesFrom(t, store, oldest, 10_000)
			for i, c := range all[1:] {
				if c.Position.Seq != all[i].Position.Seq+1 {
					t.Fatalf("%+v follows %+v", c.Position, all[i].Position)
				}
			}
		})
	}
}

// TestAHistoryFromAnotherClusterStaysInThePast restores, so to speak, a dump
// from a cluster that has seen more transactions than this one.
func TestAHistoryFromAnotherClusterStaysInThePast(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	sqlstore.Exec(t, store, `INSERT INTO changes (major, kind, subject, borrowed)
		SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000 + n, 'borrowed', 'foreign', true FROM generate_series(1, 10) AS n`)
	start := lastChange(t, store)
	testkit.NoError(t, testkit.Err(store.Migrate(t.Context())))
	if oldest, kept := sqlstore.OldestChange(t, store); kept != 1 || oldest != start {
		t.Errorf("%d changes are kept, want the beginning alone", kept)
	}
	for i := range 20 {
		b := book("Emma")
		b.ID = fmt.Sprint("own ", i)
		testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
	}
	for i, c := range changesFrom(t, store, start, 20) {
		if c.ID != fmt.Sprint("own ", i) {
			t.Fatalf("change %d is %+v", i, c)
		}
	}
}
