package finding_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/finding"
)

// Books by hand: those from 1 to 200 have the word emma, those above do not.
const (
	emmas     = 200
	handBooks = `INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, created_at, version, search_words, author_words)
		WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT CAST(i AS TEXT), '', '', '', '', '', '[]', i, '1', CASE WHEN i <= 200 THEN 'emma' ELSE 'persuasion' END, 'jane austen' FROM n`
	forgetByHand = `UPDATE books SET search_words = 'persuasion' WHERE id = '1'`
)

// forgedEdit is of books that are not there. A count that is corrected has them, a
// count that is made anew does not.
const forgedEdit, forged = `INSERT INTO book_edits (delta, search_words, author_words) VALUES (100000, 'emma jane', 'jane austen')`, 100_000

// edits are changes of the catalogue by the program, in one transaction.
type edits func(ctx context.Context, tx library.Tx) error

func handBook(n int, words, authors string) library.Book {
	return library.Book{ID: strconv.Itoa(n), BookFields: library.BookFields{Title: words, Authors: []string{authors}}, Version: "1", Created: time.UnixMicro(int64(n))}
}

// rewrite gives books other words.
func rewrite(from, to int, words, authors string) edits {
	return func(ctx context.Context, tx library.Tx) error {
		var books []library.Book
		for n := from; n <= to; n++ {
			books = append(books, handBook(n, words, authors))
		}
		return tx.UpdateBooks(ctx, books)
	}
}

func add(from, to int) edits {
	return func(ctx context.Context, tx library.Tx) error {
		var books []library.Book
		for n := from; n <= to; n++ {
			books = append(books, handBook(n, "persuasion", "jane austen"))
		}
		return tx.AddBooks(ctx, books)
	}
}

func TestACountIsCorrectedIfItIsKnownWhatWasEdited(t *testing.T) {
	t.Parallel()
	type step struct {
		rule      string
		happens   []any // statements by hand, and edits
		corrected bool
	}
	forget, remember := rewrite(1, 1, "persuasion", "jane austen"), rewrite(1, 1, "emma", "jane austen")
	many := func(n int, all ...any) []any { return slices.Repeat(all, n) }
	both := []step{
		{"nothing", nil, true},
		{"a new book", []any{add(1000, 1000)}, true},
		{"an edit", []any{forget}, true},
		{"an edit that changes no words", []any{remember}, true},
		{"edits that change no words", many(600, remember), true},
		{"an edit of the authors alone", []any{rewrite(1, 1, "emma", "orwell")}, true},
		{"a deletion", []any{edits(func(ctx context.Context, tx library.Tx) error { return tx.DeleteBook(ctx, "1") })}, true},
		{"a user is edited", []any{`UPDATE users SET locale = 'de'`}, true},
		{"many edits", many(100, forget, remember), true},
		{"more edits than are kept", many(200, forget, remember), false},
		{"a transaction about some books", []any{rewrite(1, 90, "persuasion", "jane austen")}, true},
		{"a transaction about many books", []any{rewrite(1, 101, "persuasion", "jane austen")}, false},
		{"an import", []any{add(1000, 1100)}, false},
		{"an edit that fails", []any{edits(func(ctx context.Context, tx library.Tx) error { return errors.Join(forget(ctx, tx), errUndone) })}, true},
		{"a new book by hand", []any{fmt.Sprintf(handBooks, 1000, 1000)}, false},
		{"an edit by hand", []any{forgetByHand}, false},
		{"a deletion by hand", []any{`DELETE FROM books WHERE id = '1'`}, false},
		{"an edit by hand that is undone", []any{`BEGIN; ` + forgetByHand + `; ROLLBACK`}, true},
		{"a history that was thrown away", []any{`DELETE FROM book_edits`}, false},
	}
	steps := map[string][]step{
		"sqlite": append(both, []step{
			{"another history with the same numbers", []any{`UPDATE book_edits SET mark = mark + 1`}, false},
			{"a history that goes back", []any{`DELETE FROM book_edits WHERE seq = (SELECT max(seq) FROM book_edits)`}, false},
		}...),
		"postgres": append(both, []step{
			{"the table is emptied", []any{`TRUNCATE books CASCADE`}, false},
			{"a history that was begun anew", []any{`TRUNCATE book_edits`}, false},
			{"another table of edits", []any{`ALTER TABLE book_edits RENAME TO other; CREATE TABLE book_edits (LIKE other INCLUDING ALL);
				INSERT INTO book_edits OVERRIDING SYSTEM VALUE SELECT * FROM other`}, false},
			{"an edit by hand that is undone in part", []any{`BEGIN; SAVEPOINT s; DELETE FROM books WHERE id = '2'; ROLLBACK TO s; UPDATE users SET locale = 'de'; COMMIT`}, true},
			{"edits that came with a dump from another server", []any{`INSERT INTO book_edits (xid, started, delta, search_words, author_words)
				SELECT '900000000', '2020-01-01', 1, 'emma', '' FROM generate_series(1, 50)`}, true},
		}...),
	}
	for name, address := range databases {
		for _, c := range steps[name] {
			t.Run(name+" "+c.rule, func(t *testing.T) {
				t.Parallel()
				address := address(t)
				store, other := prepared(t, address), open(t, address)
				finding.Exec(t, other.Catalogue, fmt.Sprintf(handBooks, 1, emmas+50))
				happens(t, other, rewrite(1, 1, "emma", "jane austen")) // an edit to begin with
				yes := true
				questions := []library.BookQuery{
					{}, {Terms: library.ParseTerms("emma")}, {Terms: library.ParseTerms("emm")}, {Authors: library.ParseTerms("austen")},
					{Terms: library.ParseTerms("emma"), Available: &yes},
				}
				count := func(q library.BookQuery) int {
					t.Helper()
					n, err := store.CountBooks(t.Context(), q)
					testkit.NoError(t, err)
					return n
				}
				for _, q := range questions {
					count(q)
				}
				for _, what := range c.happens {
					happens(t, other, what)
				}
				finding.Exec(t, other.Catalogue, forgedEdit)
				finding.Exec(t, other.Catalogue, `UPDATE users SET locale = locale`) // so that the store looks
				for i, q := range questions {
					want := finding.CountAnew(t, store.Catalogue, q)
					if c.corrected {
						want += forged
					}
					for _, when := range []string{"then", "later"} {
						if got := count(q); got != want {
							t.Errorf("question %d, %s: %d, want %d", i, when, got, want)
						}
					}
				}
			})
		}
	}
}

var errUndone = errors.New("undone on purpose")

// happens runs a statement by hand, or edits.
func happens(t *testing.T, store *sqlstore.Store, what any) {
	t.Helper()
	if text, ok := what.(string); ok {
		finding.Exec(t, store.Catalogue, text)
		return
	}
	err := store.Tx(t.Context(), func(tx library.Tx) error { return what.(edits)(t.Context(), tx) })
	if err != nil && !errors.Is(err, errUndone) {
		t.Fatal(err)
	}
}
