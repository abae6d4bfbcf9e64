// Package hooks tests what a store does for web hooks: collecting events, positions, and
// which overdue loans were told of. Start reading at [Rules].
package hooks

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
	"example.org/library/webhook"
)

// Rules are about web hooks.
var Rules = []fixture.Rule{
	{"each change is collected once for web hooks, whoever collects", collectedOnce},
	{"more changes than are read at once are collected in order", collectedInPages},
	{"a loan is told of as overdue once, and once more when it was renewed", overdueOnce},
	{"what was overdue before the first web hook is not told", overdueBefore},
	{"a web hook begins after the events that there are, and moves once", positionsMoveOnce},
	{"events are kept until every web hook is done with them", eventsAreKept},
	{"a return names its loan where the policy forgets at once, and no person", forgottenAtOnce},
	{"titles of deleted books are known, and not kept", deletedTitles},
	{"a web hook that no process has any more keeps nobody waiting", unusedHooks},
}

// hookedLibrary is a library with its web hooks.
type hookedLibrary struct {
	*service.Service
	hooks *webhook.Service
}

func newService(f fixture.Store, store webhook.Store, clock func() time.Time) *hookedLibrary {
	s := service.New(f.Store, service.WithClock(clock))
	return &hookedLibrary{s, webhook.New(store, s.Now)}
}

// begin begins with now, or a little before: where other transactions are open, what was committed last is told, too.
func begin(t testing.TB, f fixture.Store, s *hookedLibrary) {
	t.Helper()
	testkit.NoError(t, testkit.Err(s.hooks.Collect(f.Ctx)))
}

// collect waits for n events after a number.
func collect(t testing.TB, f fixture.Store, s *hookedLibrary, after int64, n int) []webhook.Event {
	t.Helper()
	var events []webhook.Event
	testkit.Eventually(t, fmt.Sprintf("%d events", n), func() bool {
		_, err := s.hooks.Collect(f.Ctx)
		testkit.NoError(t, err)
		events, err = s.hooks.Events(f.Ctx, after, 10_000)
		testkit.NoError(t, err)
		return len(events) >= n
	})
	if len(events) != n {
		t.Fatalf("%d events, want %d: %v", len(events), n, events)
	}
	return events
}

// last is the number of the last event.
func last(t testing.TB, f fixture.Store, s *hookedLibrary) int64 {
	t.Helper()
	events, err := s.hooks.Events(f.Ctx, 0, 10_000)
	testkit.NoError(t, err)
	if len(events) == 0 {
		return 0
	}
	return events[len(events)-1].Seq
}

// upTo is the events up to now: when a book is told of, all before it was.
func upTo(t testing.TB, f fixture.Store, s *hookedLibrary, after int64) (events []webhook.Event) {
	t.Helper()
	end := f.AddBook(t, "The end")
	testkit.Eventually(t, "the end", func() bool {
		testkit.NoError(t, testkit.Err(s.hooks.Collect(f.Ctx)))
		all, err := s.hooks.Events(f.Ctx, after, 10_000)
		testkit.NoError(t, err)
		at := slices.IndexFunc(all, func(e webhook.Event) bool { return e.BookID == end.ID })
		events = all[:max(at, 0)]
		return at >= 0
	})
	return events
}

func collectedOnce(t *testing.T, f fixture.Store) {
	services := []*hookedLibrary{newService(f, f.Hooks, time.Now), newService(f, f.Open(t), time.Now)}
	begin(t, f, services[0])
	from := upToNow(t, f, services[0])
	const books = 40
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for range books / 2 {
				f.AddBook(t, "A book")
				if _, err := services[i].hooks.Collect(f.Ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	events := collect(t, f, services[0], from, books)
	seen := map[string]bool{}
	for _, e := range events {
		if seen[e.BookID] || e.ID == "" || e.BookTitle != "A book" || e.Type != webhook.BookAdded {
			t.Errorf("%+v", e)
		}
		seen[e.BookID] = true
	}
}

// upToNow is the number of the last event when all changes were collected.
func upToNow(t testing.TB, f fixture.Store, s *hookedLibrary) int64 {
	t.Helper()
	upTo(t, f, s, 0)
	return last(t, f, s)
}

func collectedInPages(t *testing.T, f fixture.Store) {
	s := newService(f, f.Hooks, time.Now)
	begin(t, f, s)
	from := upToNow(t, f, s)
	var want []string
	for range 6 {
		var books []library.Book
		for range 200 {
			books = append(books, fixture.NewBook(library.BookFields{Title: "One of many"}))
			want = append(want, books[len(books)-1].ID)
		}
		f.InTx(t, func(tx library.Tx) error { return tx.AddBooks(f.Ctx, books) })
	}
	var got []string
	for _, e := range collect(t, f, s, from, len(want)) {
		got = append(got, e.BookID)
	}
	fixture.WantEqual(t, got, want)
}

func overdueOnce(t *testing.T, f fixture.Store) {
	clock := testkit.NewClock(fixture.BorrowedAt)
	s := newService(f, f.Hooks, clock.Now)
	reader := f.AddReaders(t, 1)[0]
	book := f.AddBook(t, "Emma")
	begin(t, f, s)
	lent, err := s.Borrow(f.Ctx, reader, book.ID)
	testkit.NoError(t, err)
	tell := func(rule string, want int) {
		t.Helper()
		told, err := s.hooks.TellOverdue(f.Ctx)
		testkit.NoError(t, err)
		testkit.NoError(t, s.hooks.Trim(f.Ctx, nil))
		if told != want {
			t.Errorf("%s: %d, want %d", rule, told, want)
		}
	}
	tell("not due", 0)
	if _, err := newService(f, reading{f.Hooks}, clock.Now).hooks.TellOverdue(f.Ctx); err != nil {
		t.Errorf("somebody who only looks changes something: %v", err)
	}
	clock.Advance(lent.Loan.Due.Sub(clock.Now()))
	tell("in the last moment", 0)
	clock.Advance(time.Microsecond)
	tell("overdue", 1)
	tell("again", 0)
	clock.Advance(-time.Hour)
	tell("the clock went back", 0)
	clock.Advance(2 * time.Hour)
	tell("and on", 0)
	testkit.NoError(t, testkit.Err(s.Renew(f.Ctx, reader, lent.Loan.ID)))
	tell("renewed", 0)
	clock.Advance(100 * 24 * time.Hour)
	tell("overdue again, after a standstill", 1)
	testkit.NoError(t, testkit.Err(s.Return(f.Ctx, reader, book.ID)))
	tell("returned", 0)
	events, err := s.hooks.Events(f.Ctx, 0, 100)
	testkit.NoError(t, err)
	events = slices.DeleteFunc(events, func(e webhook.Event) bool { return e.Type != webhook.LoanOverdue })
	if len(events) != 2 || events[0].Record != lent.Loan.ID || events[0].BookID != book.ID || events[0].BookTitle != "Emma" || !events[0].At.Equal(lent.Loan.Due) {
		t.Errorf("%+v", events)
	}
}

func overdueBefore(t *testing.T, f fixture.Store) {
	clock := testkit.NewClock(fixture.BorrowedAt)
	s := newService(f, f.Hooks, clock.Now)
	testkit.NoError(t, testkit.Err(s.Borrow(f.Ctx, f.AddReaders(t, 1)[0], f.AddBook(t, "Emma").ID)))
	clock.Advance(100 * 24 * time.Hour)
	testkit.NoError(t, testkit.Err(s.hooks.Collect(f.Ctx)))
	told, err := s.hooks.TellOverdue(f.Ctx)
	testkit.NoError(t, err)
	testkit.Equal(t, told, 0)
}

func positionsMoveOnce(t *testing.T, f fixture.Store) {
	s := newService(f, f.Hooks, time.Now)
	begin(t, f, s)
	from := upToNow(t, f, s)
	h, isNew, err := s.hooks.Add(f.Ctx, "one")
	testkit.NoError(t, err)
	if !isNew || h.Position != from {
		t.Fatalf("%+v %v, want position %d", h, isNew, from)
	}
	failed := h
	failed.Attempts, failed.Failing, failed.Next, failed.Off = 3, fixture.Epoch, fixture.Epoch.Add(time.Hour), true
	testkit.NoError(t, s.hooks.Save(f.Ctx, failed, from))
	hooks, err := s.hooks.All(f.Ctx)
	testkit.NoError(t, err)
	fixture.WantEqual(t, hooks, []webhook.Hook{failed})
	h, isNew, err = s.hooks.Add(f.Ctx, "one") // the next start
	testkit.NoError(t, err)
	if isNew || h.Off || !h.Next.IsZero() || h.Position != from || !h.Failing.Equal(fixture.Epoch) {
		t.Errorf("%+v %v", h, isNew)
	}
	h.Position++
	testkit.NoError(t, s.hooks.Save(f.Ctx, h, from))
	if err := s.hooks.Save(f.Ctx, h, from); !errors.Is(err, webhook.ErrMoved) {
		t.Errorf("moved twice: %v", err)
	}
}

func eventsAreKept(t *testing.T, f fixture.Store) {
	clock := testkit.NewClock(time.Now())
	s := newService(f, f.Hooks, clock.Now)
	begin(t, f, s)
	from := upToNow(t, f, s)
	quick, _, err := s.hooks.Add(f.Ctx, "quick")
	testkit.NoError(t, err)
	_, _, err = s.hooks.Add(f.Ctx, "slow")
	testkit.NoError(t, err)
	f.AddBook(t, "Emma")
	seq := collect(t, f, s, from, 1)[0].Seq
	quick.Position = seq
	testkit.NoError(t, s.hooks.Save(f.Ctx, quick, from))
	left := func() int {
		testkit.NoError(t, s.hooks.Trim(f.Ctx, []string{"quick"}))
		events, err := s.hooks.Events(f.Ctx, 0, 10)
		testkit.NoError(t, err)
		return len(events)
	}
	testkit.Equal(t, left(), 1)
	clock.Advance(5 * 24 * time.Hour) // nobody has the slow one any more
	testkit.Equal(t, left(), 0)
	if _, isNew, err := s.hooks.Add(f.Ctx, "slow"); err != nil || !isNew {
		t.Errorf("it is not new: %v", err)
	}
}

func forgottenAtOnce(t *testing.T, f fixture.Store) {
	s := newService(f, f.Hooks, time.Now)
	none := 0
	p := library.DefaultPolicy()
	p.HistoryDays = &none
	f.InTx(t, func(tx library.Tx) error { return tx.SavePolicy(f.Ctx, p) })
	reader, book := f.AddReaders(t, 1)[0], f.AddBook(t, "Emma")
	begin(t, f, s)
	from := upToNow(t, f, s)
	lent, err := s.Borrow(f.Ctx, reader, book.ID)
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(s.Return(f.Ctx, reader, book.ID)))
	events := collect(t, f, s, from, 2)
	for i, want := range []webhook.Type{webhook.LoanCreated, webhook.LoanReturned} {
		person, err := s.hooks.Person(f.Ctx, events[i])
		testkit.NoError(t, err)
		if e := events[i]; e.Type != want || e.Record != lent.Loan.ID || e.BookID != book.ID || person != (library.Person{}) {
			t.Errorf("%+v of %+v, want %s", e, person, want)
		}
	}
}

func deletedTitles(t *testing.T, f fixture.Store) {
	s := newService(f, f.Hooks, time.Now)
	begin(t, f, s)
	from := upToNow(t, f, s)
	book := f.AddBook(t, "Emma")
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, book.ID) })
	events := collect(t, f, s, from, 2)
	for i, want := range []webhook.Type{webhook.BookAdded, webhook.BookDeleted} {
		if e := events[i]; e.Type != want || e.BookTitle != "Emma" {
			t.Errorf("%+v, want %s", e, want)
		}
	}
	records, err := f.Hooks.HookRecords(f.Ctx, nil, nil, []string{book.ID})
	testkit.NoError(t, err)
	testkit.Equal(t, len(records), 0)
}
