package sqlstore_test

import (
	"database/sql"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// keeper remembers at which revision of a store something was read of a book.
type keeper struct {
	store *sqlstore.Store
	since map[string]library.Revision
}

func (k *keeper) revision(t testing.TB) library.Revision {
	t.Helper()
	_, at, err := k.store.UserByEmail(t.Context(), "bruce.wayne@example.com")
	testkit.NoError(t, err)
	return at
}

func (k *keeper) keep(t testing.TB, books ...string) {
	t.Helper()
	k.since = map[string]library.Revision{}
	for _, book := range books {
		k.since[book] = k.revision(t)
	}
}

func (k *keeper) isGood(t testing.TB, book string) bool {
	t.Helper()
	return k.revision(t).Unchanged(k.since[book], library.RevisionSubject(book))
}

const (
	firstBook  = "00000000-0000-4000-8000-000000000001"
	secondBook = "00000000-0000-4000-8000-000000000002"
)

// prepared is a database with the sample data and two more books.
func prepared(t testing.TB, address string) *sqlstore.Store {
	t.Helper()
	store := open(t, address)
	ctx := t.Context()
	testkit.NoError(t, service.New(store).Prepare(ctx, service.Setup{Samples: sample.Basic}))
	err := store.Tx(ctx, func(tx library.Tx) error {
		for _, id := range []string{firstBook, secondBook} {
			b := library.Book{ID: id, BookFields: library.BookFields{Title: id}.Complete(), Version: "1", Stock: library.Stock{Copies: 1, Available: 1}}
			if err := tx.AddBook(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
	testkit.NoError(t, err)
	return store
}

const touchByHand = `UPDATE stock SET waiting = waiting WHERE seq = (SELECT seq FROM books WHERE id = '` + firstBook + `')`

// touch changes the stock of a book, as lending does.
func touch(t testing.TB, store *sqlstore.Store, book string) {
	t.Helper()
	err := store.Tx(t.Context(), func(tx library.Tx) error {
		return tx.Save(t.Context(), library.Decision{BookID: book, Happened: library.BookChanged, Stock: library.Stock{Copies: 1, Available: 1}})
	})
	testkit.NoError(t, err)
}

// touchBook stands among statements by hand for a change by the program.
const touchBook = "touch the first book"

// What is published may be less than what has happened, and a change by hand publishes
// nothing. Then nothing is good.
func TestWhatIsNotPublishedChangesEverything(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, database string
		happens        []string
		first, second  bool // whether what is kept of the books is good
	}{
		{"nothing", "postgres", nil, true, true},
		{"one book", "postgres", []string{touchBook}, false, true},
		{"one book by hand", "postgres", []string{touchByHand}, false, false},
		{"one book by hand, and then by the program", "postgres", []string{touchByHand, touchBook}, false, false},
		{"one book by the program, and then by hand", "postgres", []string{touchBook, touchByHand}, false, false},
		{"a number without a book", "postgres", []string{`UPDATE revision SET changes = changes + 1 WHERE part = 0`}, false, false},
		{"the probe of this program", "postgres", []string{`UPDATE revision SET changes = changes WHERE part = 0`}, true, true},
		{"counters that go back", "postgres", []string{`UPDATE revision SET changes = changes - 1, recent = '{}'`}, false, false},
		{"counters of another history", "postgres", []string{`CREATE TABLE other AS SELECT * FROM revision`, `TRUNCATE revision`,
			`INSERT INTO revision SELECT part, changes + 1, array[changes + 1 || ' -'] FROM other`}, false, false},
		{"a table that is emptied", "postgres", []string{`TRUNCATE holds`}, false, false},
		{"a statement by hand", "postgres", []string{`UPDATE users SET locale = 'de'`}, false, false},
		{"what is undone by hand", "postgres", []string{`BEGIN; UPDATE books SET isbn = isbn; ROLLBACK`}, true, true},

		{"nothing", "sqlite", nil, true, true},
		{"one book", "sqlite", []string{touchBook}, false, true},
		{"one book by hand", "sqlite", []string{touchByHand}, false, false},
		{"one book by hand, and then by the program", "sqlite", []string{touchByHand, touchBook}, false, false},
		{"one book by the program, and then by hand", "sqlite", []string{touchBook, touchByHand}, false, false},
		{"what is undone by hand", "sqlite", []string{`BEGIN; UPDATE books SET isbn = isbn; ROLLBACK`}, true, true},
		{"something that is not of the library", "sqlite", []string{`PRAGMA user_version = 0`}, true, true},
		{"a history that was thrown away", "sqlite", []string{`DELETE FROM changed_books`, touchBook}, false, false},
		{"another history with the same numbers", "sqlite", []string{`UPDATE changed_books SET mark = mark + 1`}, false, false},
		{"a history that goes back", "sqlite", []string{`DELETE FROM changed_books WHERE seq = (SELECT max(seq) FROM changed_books)`}, false, false},
		{"a statement by hand", "sqlite", []string{`UPDATE users SET locale = 'de'`}, false, false},
	} {
		t.Run(c.database+" "+c.rule, func(t *testing.T) {
			t.Parallel()
			address := databases[c.database](t)
			k := &keeper{store: prepared(t, address)}
			other := open(t, address)
			k.keep(t, firstBook, secondBook)
			for _, text := range c.happens {
				if text == touchBook {
					touch(t, other, firstBook)
				} else {
					sqlstore.Exec(t, other, text)
				}
			}
			if first, second := k.isGood(t, firstBook), k.isGood(t, secondBook); first != c.first || second != c.second {
				t.Errorf("the books are good: %v and %v, want %v and %v", first, second, c.first, c.second)
			}
		})
	}
}

// A process that does not look for long has missed more than what is kept.
func TestWhoLooksTooLateKeepsNothing(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := address(t)
			k := &keeper{store: prepared(t, address)}
			other := open(t, address)
			for _, c := range []struct {
				times int
				good  bool
			}{{8, true}, {520, false}} {
				k.keep(t, secondBook)
				for range c.times {
					touch(t, other, firstBook)
				}
				if good := k.isGood(t, secondBook); good != c.good {
					t.Errorf("after %d changes of another book what is kept is good: %v", c.times, good)
				}
			}
		})
	}
}

// TestChangesByHandAreSeen changes every table as psql or sqlite3 would, beside a change by
// this program.
func TestChangesByHandAreSeen(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		for table, column := range map[string]string{"books": "isbn", "users": "locale", "copies": "note", "loans": "renewals",
			"holds": "created_at", "policy": "renewals", "stock": "waiting"} {
			t.Run(name+" "+table, func(t *testing.T) {
				t.Parallel()
				address := address(t)
				k := &keeper{store: prepared(t, address)}
				for _, text := range lendingByHand {
					sqlstore.Exec(t, k.store, text)
				}
				k.keep(t, firstBook, secondBook)
				byHand(t, address, `UPDATE `+table+` SET `+column+` = `+column)
				touch(t, k.store, firstBook)
				if k.isGood(t, secondBook) {
					t.Errorf("a change of %s by hand is not seen", table)
				}
			})
		}
	}
}

// byHand runs a statement as another program does.
func byHand(t *testing.T, address, text string) {
	t.Helper()
	driver, name := "pgx", address
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		driver, name = "sqlite", path
	}
	db, err := sql.Open(driver, name)
	testkit.NoError(t, err)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
