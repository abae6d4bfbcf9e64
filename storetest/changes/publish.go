package changes

import (
	"slices"
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

// eachChangePublishesItsEvents is a table of everything that can be changed, in an order
// in which it can, with the events that it publishes.
func eachChangePublishesItsEvents(t *testing.T, f fixture.Store) {
	reader, waiting := f.AddUser(t, "john@example.com"), f.AddUser(t, "jane@example.com")
	book, second := f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")
	added, third := fixture.NewBook(library.BookFields{Title: "New"}), fixture.NewBook(library.BookFields{Title: "Newer"})
	moved := waiting
	moved.Email = "jane.moved@example.com"
	var d library.Decision
	due := fixture.BorrowedAt.Add(30 * 24 * time.Hour)
	rule := func(u library.User, rule func(library.Circulation, time.Time) (library.Decision, error)) func(library.Tx) error {
		return func(tx library.Tx) (err error) {
			d, err = f.Decide(tx, book.ID, u.ID, fixture.BorrowedAt.Add(time.Hour), rule)
			return err
		}
	}
	loan := func() event { return event{library.LoanChanged, d.Loan.ID, false, 0, reader.ID} }
	hold := func() event { return event{library.HoldChanged, d.Hold.ID, false, 0, waiting.ID} }
	stock := func(kind library.ChangeKind, lent bool, available int) event {
		return event{kind, book.ID, lent, available, ""}
	}
	type happens = []event
	for _, c := range []struct {
		rule string
		fn   func(library.Tx) error
		want func() happens
	}{
		{"a new book", func(tx library.Tx) error { return tx.AddBook(f.Ctx, added) },
			func() happens { return happens{{library.BookAdded, added.ID, false, 1, ""}} }},
		{"a cover", func(tx library.Tx) error {
			return tx.SetCover(f.Ctx, added, library.CoverPictures{Large: []byte{1}, Small: []byte{1}})
		},
			func() happens { return happens{{library.BookEdited, added.ID, false, 1, ""}} }},
		{"a cover that is taken away", func(tx library.Tx) error { return tx.RemoveCover(f.Ctx, added) },
			func() happens { return happens{{library.BookEdited, added.ID, false, 1, ""}} }},
		{"books of an import", func(tx library.Tx) error { return tx.AddBooks(f.Ctx, []library.Book{third}) },
			func() happens { return happens{{library.BookAdded, third.ID, false, 1, ""}} }},
		{"labels of their copies", func(tx library.Tx) error {
			return tx.LabelCopies(f.Ctx, []library.CopyLabel{{BookID: third.ID, Place: 1, Shelf: "Attic"}})
		}, nil},
		{"a loan", rule(reader, library.Circulation.Borrow), func() happens { return happens{loan(), stock(library.BookBorrowed, true, 0)} }},
		{"a book is edited while it is lent", func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, book) },
			func() happens { return happens{stock(library.BookEdited, true, 0)} }},
		{"books are edited by an import", func(tx library.Tx) error { return tx.UpdateBooks(f.Ctx, []library.Book{book, second}) }, func() happens {
			return happens{stock(library.BookEdited, true, 0), {library.BookEdited, second.ID, false, 1, ""}}
		}},
		{"a renewal", rule(reader, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.Renew(c.Copies[0].Loan.ID, now.Add(24*time.Hour))
		}), func() happens { return happens{loan(), stock(library.BookChanged, true, 0)} }},
		{"a hold", rule(waiting, library.Circulation.PlaceHold), func() happens { return happens{hold(), stock(library.BookChanged, true, 0)} }},
		{"a note on a copy", rule(reader, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.EditCopy(c.Copies[0].ID, library.CopyFields{Note: "Torn", State: library.Lendable}, nil, now)
		}), func() happens { return happens{stock(library.BookChanged, true, 0)} }},
		{"a return to somebody who waits", rule(reader, library.Circulation.Return),
			func() happens { return happens{loan(), hold(), stock(library.BookReturned, false, 0)} }},
		{"the copy is fetched from its shelf", rule(waiting, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.FetchHold(c.Copies[0].Hold.ID, c.Copies[0].Hold.Fetched.IsZero(), now)
		}), func() happens { return happens{stock(library.BookChanged, false, 0)} }},
		{"no hold any more", rule(waiting, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.CancelHold(c.Copies[0].Hold.ID, now)
		}), func() happens {
			return happens{{library.HoldChanged, d.Moved[0].ID, false, 0, waiting.ID}, stock(library.BookChanged, false, 1)}
		}},
		{"another loan", rule(reader, library.Circulation.Borrow), func() happens { return happens{loan(), stock(library.BookBorrowed, true, 0)} }},
		{"the policy", func(tx library.Tx) error { return tx.SavePolicy(f.Ctx, library.DefaultPolicy()) }, nil},
		{"another due date", func(tx library.Tx) error {
			return tx.MoveEnds(f.Ctx, []library.EndMove{{From: d.Loan.Due, To: due}})
		}, func() happens { return happens{loan()} }},
		{"a return", rule(reader, library.Circulation.Return), func() happens { return happens{loan(), stock(library.BookReturned, false, 1)} }},
		{"the past is forgotten", func(tx library.Tx) error { _, err := tx.Forget(f.Ctx, "", due, 10); return err }, nil},
		{"a new user", func(tx library.Tx) error { return tx.AddUser(f.Ctx, fixture.NewUser("new@example.com")) }, nil},
		{"the same e-mail address", func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, waiting) }, nil},
		{"another e-mail address", func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, moved) },
			func() happens { return happens{{library.UserLeft, waiting.ID, false, 0, ""}} }},
		{"somebody is removed", func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, reader.ID) },
			func() happens { return happens{{library.UserLeft, reader.ID, false, 0, ""}} }},
		{"a book is deleted", func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, book.ID) },
			func() happens { return happens{{library.BookDeleted, book.ID, false, 0, ""}} }},
		{"a book that comes and goes", func(tx library.Tx) error {
			b := fixture.NewBook(library.BookFields{Title: "Short"})
			d.BookID = b.ID
			if err := tx.AddBook(f.Ctx, b); err != nil {
				return err
			}
			return tx.DeleteBook(f.Ctx, b.ID)
		}, func() happens {
			return happens{{library.BookAdded, d.BookID, false, 1, ""}, {library.BookDeleted, d.BookID, false, 0, ""}}
		}},
	} {
		var want []event
		got := published(t, f, c.fn)
		if c.want != nil {
			want = c.want()
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", c.rule, got, want)
		}
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
