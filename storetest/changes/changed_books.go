package changes

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// What a change invalidates in a cache.
const (
	changesBook       = "one book"
	changesPast       = "nothing that is shown with a book"
	changesEverything = "everything"
)

type revisionChange struct {
	what    string
	changes string
	fn      func(library.Tx) error
}

// revisionChangesOf is a sequence of changes after which all is as before.
func revisionChangesOf(f fixture.Store, book library.Book, reader, waiting library.User) []revisionChange {
	added := library.NewID()
	rule := func(u library.User, rule func(library.Circulation, time.Time) (library.Decision, error)) func(library.Tx) error {
		return func(tx library.Tx) error {
			_, err := f.Decide(tx, book.ID, u.ID, fixture.BorrowedAt.Add(time.Hour), rule)
			return err
		}
	}
	return []revisionChange{
		{"a loan", changesBook, func(tx library.Tx) error { _, err := f.Borrow(tx, book, reader); return err }},
		{"a renewal", changesBook, rule(reader, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.Renew(c.Copies[0].Loan.ID, now.Add(24*time.Hour))
		})},
		{"a hold", changesBook, rule(waiting, library.Circulation.PlaceHold)},
		{"no hold", changesBook, rule(waiting, library.Circulation.CancelHolds)},
		{"a note on a copy", changesBook, rule(reader, func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.EditCopy(c.Copies[0].ID, library.CopyFields{Note: library.NewID(), State: library.Lendable}, nil, now)
		})},
		{"a return", changesBook, func(tx library.Tx) error { return f.GiveBack(tx, book, reader) }},
		{"the past is forgotten", changesPast, func(tx library.Tx) error {
			_, err := tx.Forget(f.Ctx, reader.ID, fixture.BorrowedAt.Add(48*time.Hour), 10)
			return err
		}},
		{"an edit", changesEverything, func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, book) }},
		{"a new book", changesEverything, func(tx library.Tx) error {
			return tx.AddBook(f.Ctx, library.Book{ID: added, BookFields: library.BookFields{Title: "New"}.Complete(), Version: "1"})
		}},
		{"a book less", changesEverything, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, added) }},
		{"a user", changesEverything, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, reader) }},
		{"the policy", changesEverything, func(tx library.Tx) error { return tx.SavePolicy(f.Ctx, library.DefaultPolicy()) }},
	}
}

// revisionsTellBooks changes the library through each handle, and compares what the
// revisions before and after say has changed.
func revisionsTellBooks(t *testing.T, f fixture.Store) {
	reader, waiting := f.AddUser(t, "john@example.com"), f.AddUser(t, "jane@example.com")
	book, other := f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")
	for writer, store := range map[string]library.Store{"this handle": f.Store, "another handle": f.Open(t)} {
		for _, c := range revisionChangesOf(f, book, reader, waiting) {
			before := f.RevisionOf(t, f, reader.Email)
			if err := store.Tx(f.Ctx, c.fn); err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			after := f.RevisionOf(t, f, reader.Email)
			if after == before {
				t.Errorf("%s by %s leaves the revision", c.what, writer)
			}
			for _, cached := range []struct {
				what     string
				subjects []string
				isGood   bool
			}{
				{"both books", []string{library.RevisionSubject(other.ID), library.RevisionSubject(book.ID)}, c.changes == changesPast},
				{"the other book", []string{library.RevisionSubject(other.ID)}, c.changes != changesEverything},
				{"the catalogue", nil, c.changes != changesEverything},
			} {
				if got := after.Unchanged(before, cached.subjects...); got != cached.isGood {
					t.Errorf("%s by %s changes %s: %s unchanged: %v, want %v", c.what, writer, c.changes, cached.what, got, cached.isGood)
				}
			}
		}
	}
}
