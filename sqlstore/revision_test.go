package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/sample"
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err := library.NewService(store).Prepare(ctx, library.Setup{Samples: sample.Basic}); err != nil {
		t.Fatal(err)
	}
	err := store.Tx(ctx, func(tx library.Tx) error {
		for _, id := range []string{firstBook, secondBook} {
			b := library.Book{ID: id, BookFields: library.BookFields{Title: id}, Version: "1", Stock: library.Stock{Copies: 1, Available: 1}}
			if err := tx.AddBook(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

const touchBook = `UPDATE stock SET waiting = waiting WHERE seq = (SELECT seq FROM books WHERE id = '` + firstBook + `')`

// What a database tells may be less than what has happened. Then nothing is good.
func TestWhatIsNotToldChangesEverything(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, database string
		happens        []string
		first, second  bool // whether what is kept of the books is good
	}{
		{"nothing", "postgres", nil, true, true},
		{"one book", "postgres", []string{touchBook}, false, true},
		{"a statement that finds nothing", "postgres", []string{`UPDATE stock SET waiting = waiting WHERE seq < 0`}, true, true},
		{"a number without a book", "postgres", []string{`UPDATE revision SET changes = changes + 1 WHERE part = 0`}, false, false},
		{"the probe of this program", "postgres", []string{`UPDATE revision SET changes = changes WHERE part = 0`}, true, true},
		{"counters that go back", "postgres", []string{`UPDATE revision SET changes = changes - 1, recent = '{}'`}, false, false},
		{"counters of another history", "postgres", []string{`CREATE TABLE other AS SELECT * FROM revision`, `TRUNCATE revision`,
			`INSERT INTO revision SELECT part, changes + 1, array[changes + 1 || ' -'] FROM other`}, false, false},
		{"a table that is emptied", "postgres", []string{`TRUNCATE holds`}, false, false},
		{"a statement by hand", "postgres", []string{`UPDATE users SET locale = 'de'`}, false, false},
		{"what is undone, and another book", "postgres", []string{`BEGIN; SAVEPOINT s; UPDATE books SET isbn = isbn; ROLLBACK TO s; ` + touchBook + `; COMMIT`}, false, true},
		{"a book after something of the past", "postgres", []string{
			`INSERT INTO loans (id, book_id, book_title, borrowed_at, returned_at) VALUES ('past', NULL, 'T', 1, 2)`, // everything, before it is kept
			"keep", `BEGIN; UPDATE loans SET renewals = 1 WHERE id = 'past'; ` + touchBook + `; COMMIT`}, false, true},

		{"nothing", "sqlite", nil, true, true},
		{"one book", "sqlite", []string{touchBook}, false, true},
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
				if text == "keep" {
					k.keep(t, firstBook, secondBook)
					continue
				}
				sqlstore.Exec(t, other, text)
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
					sqlstore.Exec(t, other, touchBook)
				}
				if good := k.isGood(t, secondBook); good != c.good {
					t.Errorf("after %d changes of another book what is kept is good: %v", c.times, good)
				}
			}
		})
	}
}

// Those who ask while a question is under way share the next one, and none gets an
// answer that was asked for before.
func TestLookupsAreSharedButNeverOld(t *testing.T) {
	t.Parallel()
	var state, questions atomic.Int64
	lookups := sqlstore.NewLookups(func(context.Context) (library.Revision, error) {
		questions.Add(1)
		seen := state.Load()
		time.Sleep(time.Millisecond)
		return library.Revision{Name: fmt.Sprintf("%06d", seen)}, nil
	})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 20 {
				before := fmt.Sprintf("%06d", state.Add(1))
				at, err := lookups(t.Context())
				if err != nil || at.Name < before {
					t.Errorf("asked at %s, answered %s, error %v", before, at.Name, err)
				}
			}
		})
	}
	wg.Wait()
	if n := questions.Load(); n > 500 {
		t.Errorf("%d questions for 1,000 callers", n)
	}
}

// Whoever asks for something finds it at a place of its own, and no question is
// longer than it may be.
func TestEachOfThoseWhoShareAQuestionGetsTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	var questions atomic.Int64
	ask := sqlstore.NewSharedQuestions(func(wanted []string) (answers []string) {
		questions.Add(1)
		time.Sleep(time.Millisecond)
		if len(wanted) > sqlstore.MaxShared {
			t.Errorf("%d things in one question", len(wanted))
		}
		for _, w := range wanted {
			answers = append(answers, "answer to "+w)
		}
		return answers
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for n := range 20 {
				var wanted []string
				for k := range 1 + (i+n)%20 {
					wanted = append(wanted, fmt.Sprint(i, n, k))
				}
				answers, at, err := ask(t.Context(), wanted...)
				for k, w := range wanted {
					if err != nil || answers[at+k] != "answer to "+w {
						t.Errorf("%s: %v, error %v", w, answers, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := questions.Load(); n > 500 {
		t.Errorf("%d questions for 1,000 callers", n)
	}
}

func TestAQuestionThatPanicsDoesSoForThoseWhoAsked(t *testing.T) {
	t.Parallel()
	ask := sqlstore.NewSharedQuestions(func(wanted []string) []string {
		if wanted[0] == "panic" {
			panic("the question is bad")
		}
		return wanted
	})
	func() {
		defer func() {
			if p := recover(); p != "the question is bad" {
				t.Errorf("panic %v", p)
			}
		}()
		ask(t.Context(), "panic")
	}()
	if answer, at, err := ask(t.Context(), "next"); err != nil || answer[at] != "next" {
		t.Errorf("the next question: %v, error %v", answer, err)
	}
}

func TestALookupThatHangsKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	var first atomic.Bool
	hangs, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	lookups := sqlstore.NewLookups(func(context.Context) (library.Revision, error) {
		if first.CompareAndSwap(false, true) {
			close(hangs)
			<-end
		}
		return library.Revision{Name: "answered"}, nil
	})
	gone, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := lookups(gone); failed <- err }()
	<-hangs
	for range 3 {
		if at, err := lookups(t.Context()); err != nil || at.Name != "answered" {
			t.Errorf("%v, error %v", at, err)
		}
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone away gets %v", err)
	}
}

// An answer that comes late says less than what is known; a counter that has gone
// back is something else.
func TestAnswersAboutCountersMayOvertakeEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule            string
		known           []int64
		place, counters string
		first, second   bool // whether the books are as they were
	}{
		{"the same again", []int64{5, 7}, "p", "5;7", true, true},
		{"one more", []int64{5, 7}, "p", "5;8,8 first", false, true},
		{"two more of one counter", []int64{5, 7}, "p", "5;9,9 first,8 second,7 other", false, false},
		{"something of the past", []int64{5, 7}, "p", "6,6 -,5 first;7", true, true},
		{"an answer that was overtaken", []int64{4, 7}, "p", "4;7", true, true},
		{"one that was overtaken in part", []int64{4, 6}, "p", "4;8,8 second,7 first,6 x", true, false},
		{"a number that is not told", []int64{5, 7}, "p", "5;9,9 first", false, false},
		{"everything", []int64{5, 7}, "p", "5;8,8 x *", false, false},
		{"a counter that has gone back", []int64{5, 7}, "p", "5;6,6 x", false, false},
		{"counters elsewhere", []int64{5, 7}, "q", "5;7", false, false},
		{"more counters", []int64{5, 7}, "p", "5;7;0", false, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			learn := sqlstore.NewLearner()
			before, err := learn(nil, "p", "5,5 x;7,7 x")
			if err != nil {
				t.Fatal(err)
			}
			after, err := learn(c.known, c.place, c.counters)
			if err != nil {
				t.Fatal(err)
			}
			if first, second := after.Unchanged(before, "first"), after.Unchanged(before, "second"); first != c.first || second != c.second {
				t.Errorf("unchanged: %v and %v, want %v and %v", first, second, c.first, c.second)
			}
		})
	}
	if _, err := sqlstore.NewLearner()(nil, "p", "5;x"); err == nil {
		t.Error("what is no number is taken for one")
	}
}
