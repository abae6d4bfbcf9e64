package changes

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// published runs a transaction and returns the events of it, all of them.
func published(t testing.TB, f fixture.Store, fn func(library.Tx) error) (events []event) {
	t.Helper()
	at := waitForChanges(t, f)
	f.InTx(t, fn)
	end := f.AddBook(t, marker)
	for {
		more, next := eventsSince(t, f, at, 1)
		at = next
		for i, e := range more {
			if e.ID == end.ID {
				return append(events, more[:i]...)
			}
		}
		events = append(events, more...)
	}
}

// removedPersonLeavesNoName cancels a hold and removes the person in one transaction: the
// event of the hold is there, and does not say whose it was.
func removedPersonLeavesNoName(t *testing.T, f fixture.Store) {
	reader, waiting := f.AddUser(t, "john@example.com"), f.AddUser(t, "jane@example.com")
	book := f.AddBook(t, "Emma")
	f.Lend(t, book, reader)
	var hold string
	f.InTx(t, func(tx library.Tx) error {
		d, err := f.Decide(tx, book.ID, waiting.ID, fixture.BorrowedAt.Add(time.Hour), library.Circulation.PlaceHold)
		hold = d.Hold.ID
		return err
	})
	got := published(t, f, func(tx library.Tx) error {
		if _, err := f.Decide(tx, book.ID, waiting.ID, fixture.BorrowedAt.Add(time.Hour), library.Circulation.CancelHolds); err != nil {
			return err
		}
		return tx.DeleteUser(f.Ctx, waiting.ID)
	})
	fixture.WantEqual(t, got, []event{{library.HoldChanged, hold, false, 0, ""}, {library.BookChanged, book.ID, true, 0, ""}, {library.UserLeft, waiting.ID, false, 0, ""}})
}
