// Package changes tests what a store says of changes: the change log that event streams
// follow, and the revisions by which caches learn what is still good. Start reading
// at [Rules].
package changes

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// Rules are about what a store says of changes.
var Rules = []fixture.Rule{
	{"the revision stays while nothing changes", revisionStays},
	{"every change changes the revision, whoever makes it", revisionChanges},
	{"a revision tells which book lending has changed, whoever lends it", revisionsTellBooks},
	{"a caller is never stale", callerNeverStale},
	{"counts are never stale", countsNeverStale},
	{"everything that happens to books is noted, in order, and nothing else", changesAreNoted},
	{"the events of a person who is removed do not name the person", removedPersonLeavesNoName},
	{"what is undone never happened", changesUndone},
	{"changes come in pages of any size, to every handle", changesInPages},
	{"a position that this history does not have is lost", positionsLost},
	{"readers who follow miss nothing while others write", changesNeverSkip},
}

// event is a change without its position.
type event struct {
	Kind      library.ChangeKind
	ID        string
	Borrowed  bool
	Available int
	Person    string
}

func eventOf(c library.Change) event { return event{c.Kind, c.ID, c.Borrowed, c.Available, c.Person} }

// eventsSince waits for n changes after a position and returns them. On a server
// with other users, changes come a moment later.
func eventsSince(t testing.TB, f fixture.Store, after library.Position, n int) ([]event, library.Position) {
	t.Helper()
	var events []event
	for deadline := time.Now().Add(testkit.Timeout(t)); len(events) < n; {
		changes, err := f.Changes(f.Ctx, after, 100)
		if err != nil {
			t.Fatalf("Changes: %v", err)
		}
		for _, c := range changes {
			if c.Position.Compare(after) <= 0 {
				t.Fatalf("%+v comes after %+v", c.Position, after)
			}
			after = c.Position
			events = append(events, eventOf(c))
		}
		if len(changes) == 0 && time.Now().After(deadline) {
			t.Fatalf("%d changes, want %d", len(events), n)
		}
	}
	return events, after
}

func lastChange(t testing.TB, f fixture.Store) library.Position {
	t.Helper()
	p, err := f.LastChange(f.Ctx)
	if err != nil {
		t.Fatalf("LastChange: %v", err)
	}
	return p
}

func changesAreNoted(t *testing.T, f fixture.Store) {
	start := lastChange(t, f)
	b, u := fixture.NewBook(library.BookFields{Title: "Emma"}), fixture.NewUser("jane@example.com")
	edited, renamed, moved := b, u, u
	edited.Title, renamed.LastName = "Persuasion", "Renamed"
	moved.Email = "john@example.com"
	var loan library.Loan
	type happens []event
	steps := []struct {
		fn   func(library.Tx) error
		want func() happens
	}{
		{func(tx library.Tx) error { return tx.AddBook(f.Ctx, b) }, func() happens { return happens{{library.BookAdded, b.ID, false, 1, ""}} }},
		{func(tx library.Tx) error { return tx.AddUser(f.Ctx, u) }, nil},
		{func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, edited) }, func() happens { return happens{{library.BookEdited, b.ID, false, 1, ""}} }},
		{func(tx library.Tx) (err error) { loan, err = f.Borrow(tx, b, u); return err }, func() happens {
			return happens{{library.LoanChanged, loan.ID, false, 0, u.ID}, {library.BookBorrowed, b.ID, true, 0, ""}}
		}},
		{func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, b) }, func() happens { return happens{{library.BookEdited, b.ID, true, 0, ""}} }},
		{func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, renamed) }, nil},
		{func(tx library.Tx) error { return f.GiveBack(tx, b, u) }, func() happens {
			return happens{{library.LoanChanged, loan.ID, false, 0, u.ID}, {library.BookReturned, b.ID, false, 1, ""}}
		}},
		{func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, moved) }, func() happens { return happens{{library.UserLeft, u.ID, false, 0, ""}} }},
		{func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) }, func() happens { return happens{{library.BookDeleted, b.ID, false, 0, ""}} }},
		{func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) }, func() happens { return happens{{library.UserLeft, u.ID, false, 0, ""}} }},
	}
	var want []event
	for _, step := range steps {
		f.InTx(t, step.fn)
		if step.want != nil {
			want = append(want, step.want()...)
		}
	}
	// The log forgets the person together with the record.
	for i := range want {
		want[i].Person = ""
	}
	got, end := eventsSince(t, f, start, len(want))
	fixture.WantEqual(t, got, want)
	if last := lastChange(t, f); last != end {
		t.Errorf("the last change is at %+v, want %+v", last, end)
	}
	if more, err := f.Changes(f.Ctx, end, 10); len(more) != 0 || err != nil {
		t.Errorf("after the end: %v, error %v", more, err)
	}
}

func changesUndone(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	f.Lend(t, b, u)
	other := f.AddUser(t, "john@example.com")
	start := waitForChanges(t, f)
	f.TxFails(t, library.ErrBookBorrowed, func(tx library.Tx) error {
		if err := tx.AddBook(f.Ctx, fixture.NewBook(library.BookFields{Title: "Undone"})); err != nil {
			return err
		}
		_, err := f.Borrow(tx, b, other)
		return err
	})
	kept := f.AddBook(t, "Kept")
	got, _ := eventsSince(t, f, start, 1)
	fixture.WantEqual(t, got, []event{{library.BookAdded, kept.ID, false, 1, ""}})
}

func changesInPages(t *testing.T, f fixture.Store) {
	start := lastChange(t, f)
	var want []event
	for i := range 7 {
		b := f.AddBook(t, fmt.Sprint("Book ", i))
		want = append(want, event{library.BookAdded, b.ID, false, 1, ""})
	}
	eventsSince(t, f, start, 7)
	for _, store := range []library.Store{f.Store, f.Open(t)} {
		var got []event
		for at := start; ; {
			page, err := store.Changes(f.Ctx, at, 3)
			if err != nil || len(page) > 3 {
				t.Fatalf("%d changes, error %v", len(page), err)
			}
			if len(page) == 0 {
				break
			}
			for _, c := range page {
				got = append(got, eventOf(c))
			}
			at = page[len(page)-1].Position
		}
		fixture.WantEqual(t, got, want)
	}
}

func positionsLost(t *testing.T, f fixture.Store) {
	at := waitForChanges(t, f)
	for what, p := range map[string]library.Position{
		"nothing":                    {},
		"another history":            {TxID: at.TxID, Seq: at.Seq, Nonce: at.Nonce + 1},
		"the future":                 {TxID: at.TxID, Seq: at.Seq + 1_000_000, Nonce: at.Nonce},
		"the future of transactions": {TxID: at.TxID + 1<<40, Seq: at.Seq, Nonce: at.Nonce},
		"before the beginning":       {TxID: 0, Seq: 0, Nonce: at.Nonce},
	} {
		changes, err := f.Changes(f.Ctx, p, 10)
		if len(changes) > 0 {
			t.Errorf("%s: %v", what, changes)
		}
		fixture.WantError(t, err, library.ErrPositionLost)
	}
}

// changesNeverSkip lets writers race while readers follow: each reader must
// meet every change once, in an order in which the loans of a book make sense.
func changesNeverSkip(t *testing.T, f fixture.Store) {
	const rounds, writers = 25, 4
	actors := f.AddReaders(t, writers)
	books := []library.Book{f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")}
	start := waitForChanges(t, f)
	stores := []library.Store{f.Store, f.Open(t)}

	var writing sync.WaitGroup
	for i, a := range actors {
		lib := service.New(stores[i%2])
		writing.Go(func() {
			for n := range rounds {
				b := books[(i+n)%2].ID
				if _, err := lib.Borrow(f.Ctx, a, b); err == nil {
					lib.Return(f.Ctx, a, b)
				}
			}
		})
	}
	var histories [2][]library.Change
	var reading sync.WaitGroup
	for i, store := range stores {
		reading.Go(func() { histories[i] = followToMarker(t, f, store, start) })
	}
	writing.Wait()
	f.AddBook(t, marker)
	reading.Wait()
	if diff := cmp.Diff(histories[0], histories[1]); diff != "" {
		t.Errorf("two readers saw different histories:\n%s", diff)
	}
	lent := map[string]bool{}
	for _, c := range histories[0] {
		if c.Kind == library.LoanChanged {
			continue
		}
		if c.Borrowed == lent[c.ID] || c.Borrowed != (c.Kind == library.BookBorrowed) {
			t.Fatalf("%s of a book that was already so, or says the wrong thing: %+v", c.Kind, c)
		}
		lent[c.ID] = c.Borrowed
	}
	if len(histories[0]) < 2*rounds {
		t.Errorf("only %d changes", len(histories[0]))
	}
}

// waitForChanges waits until all that was written so far can be read, and returns the
// last position.
func waitForChanges(t testing.TB, f fixture.Store) library.Position {
	t.Helper()
	at := lastChange(t, f)
	last := f.AddBook(t, marker)
	for deadline := time.Now().Add(testkit.Timeout(t)); time.Now().Before(deadline); {
		changes, err := f.Changes(f.Ctx, at, 1)
		if err != nil {
			t.Fatalf("Changes: %v", err)
		}
		if len(changes) == 1 {
			at = changes[0].Position
		}
		if len(changes) == 1 && changes[0].ID == last.ID {
			return at
		}
	}
	t.Fatal("the change is not reported")
	return library.Position{}
}

// marker is the title of a book that is added after everything else. What was written
// before it cannot be read while an older transaction is open.
const marker = "Marker"

// followToMarker reads the changes up to the book that is added last.
func followToMarker(t *testing.T, f fixture.Store, store library.Store, at library.Position) (all []library.Change) {
	for deadline := time.Now().Add(testkit.Timeout(t)); time.Now().Before(deadline); {
		changes, err := store.Changes(f.Ctx, at, 7)
		if err != nil {
			t.Errorf("Changes: %v", err)
			return nil
		}
		for _, c := range changes {
			if c.Kind == library.BookAdded {
				return all
			}
			all, at = append(all, c), c.Position
		}
		if len(changes) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	t.Error("the last change is not reported")
	return all
}
