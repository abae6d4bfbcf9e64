package storetest

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

func loanOpenAndClose(t *testing.T, f fixture.Store) {
	b, other, u := f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion"), f.AddUser(t, "jane@example.com")
	has := func() (has bool) {
		f.InTx(t, func(tx library.Tx) (err error) { has, err = tx.HasOpenLoans(f.Ctx, u.ID); return err })
		return has
	}
	if has() {
		t.Error("a new user has loans")
	}
	loan := f.Lend(t, b, u)
	lent := fixture.LentAs(b, loan)
	fixture.WantEqual(t, f.ReadBook(t, b.ID), lent)
	fixture.WantEqual(t, f.ReadBook(t, other.ID), other)
	borrowed, err := f.Books(f.Ctx, library.BookQuery{BorrowedBy: u.ID})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, borrowed, []library.Book{lent})
	if !has() {
		t.Error("a borrower has no loans")
	}

	// The book's new title and the borrower's new name are the loan's, too.
	b.Title, u.LastName, u.Version = "Emma, revised", "Married", "v2"
	f.InTx(t, func(tx library.Tx) error {
		if err := tx.UpdateBook(f.Ctx, b); err != nil {
			return err
		}
		return tx.UpdateUser(f.Ctx, u)
	})
	got := f.ReadBook(t, b.ID)
	fixture.WantEqual(t, got.Loan.Book.Title, "Emma, revised")
	fixture.WantEqual(t, got.Loan.Borrower, library.Person{ID: u.ID, FirstName: u.FirstName, LastName: "Married", Version: "v2"})

	f.TakeBack(t, b, u)
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
	if has() {
		t.Error("a user who returned everything has loans")
	}
	f.TxFails(t, library.ErrNotOpen, func(tx library.Tx) error {
		loan.Returned = fixture.Epoch
		return tx.Save(f.Ctx, library.Decision{BookID: b.ID, Changed: []library.Loan{loan}, Stock: fixture.OneCopy})
	})
	f.Lend(t, b, u) // it can be borrowed again
}

// opens returns a decision to lend a copy, without asking the rules.
func opens(b library.Book, copyID string, u library.User) library.Decision {
	l := library.Loan{ID: library.NewID(), Book: fixture.RefTo(b), CopyID: copyID, Borrower: fixture.PersonOf(u), Since: fixture.BorrowedAt}
	return library.Decision{BookID: b.ID, Happened: library.BookBorrowed, Stock: fixture.LentAs(b, l).Stock, Opened: []library.Loan{l}}
}

// copyOf is the identifier of the first copy of a book.
func copyOf(t testing.TB, f fixture.Store, b library.Book) string {
	t.Helper()
	copies, err := f.Copies(f.Ctx, b.ID)
	if err != nil || len(copies) == 0 {
		t.Fatalf("%d copies, error %v", len(copies), err)
	}
	return copies[0].ID
}

func loanOnlyOne(t *testing.T, f fixture.Store) {
	b, u, other := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com"), f.AddUser(t, "john@example.com")
	first := f.Lend(t, b, u)
	for _, reader := range []library.User{u, other} {
		if err := f.Tx(f.Ctx, func(tx library.Tx) error { return tx.Save(f.Ctx, opens(b, first.CopyID, reader)) }); err == nil {
			t.Error("a copy was lent twice")
		}
	}
	fixture.WantEqual(t, f.ReadBook(t, b.ID), fixture.LentAs(b, first))
}

func loanMovesToAnExpiredHold(t *testing.T, f fixture.Store) {
	b, jane, john := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com"), f.AddUser(t, "john@example.com")
	loan := f.Lend(t, b, jane)
	second, now := library.Copy{ID: library.NewID(), BookID: b.ID, CopyFields: library.CopyFields{State: library.Lendable}, Version: "v1"}, fixture.BorrowedAt
	decide := func(reader string, rule library.Rule) library.Decision {
		t.Helper()
		var d library.Decision
		f.InTx(t, func(tx library.Tx) (err error) { d, err = f.Decide(tx, b.ID, reader, now, rule); return err })
		return d
	}
	decide(john.ID, library.Circulation.PlaceHold)
	decide("", func(c library.Circulation, now time.Time) (library.Decision, error) { return c.AddCopy(second, now) })
	now = now.AddDate(1, 0, 0)
	d := decide("", func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.Move(loan.ID, second.ID, false, now)
	})
	fixture.WantEqual(t, d.Loan.CopyID, second.ID)
	fixture.WantEqual(t, d.Moved[0].State, library.Expired)
}

func loanNeedsBothEnds(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	other := f.AddBook(t, "Persuasion")
	for what, d := range map[string]library.Decision{
		"an unknown user":          opens(b, copyOf(t, f, b), fixture.NewUser("nobody@example.com")),
		"an unknown copy":          opens(b, library.NewID(), u),
		"the copy of another book": opens(b, copyOf(t, f, other), u),
		"an unknown book":          opens(fixture.NewBook(library.BookFields{Title: "Sanditon"}), copyOf(t, f, b), u),
	} {
		if err := f.Tx(f.Ctx, func(tx library.Tx) error { return tx.Save(f.Ctx, d) }); err == nil {
			t.Errorf("a loan with %s was saved", what)
		}
	}
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
}

func loanHoldsBothEnds(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	loan := f.Lend(t, b, u)
	for _, fn := range []func(library.Tx) error{
		func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) },
		func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) },
	} {
		if err := f.Tx(f.Ctx, fn); err == nil {
			t.Fatal("a record with an open loan was deleted")
		}
	}
	fixture.WantEqual(t, f.ReadBook(t, b.ID), fixture.LentAs(b, loan))
}

func loanClosedLetsGo(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	for range 3 {
		f.Lend(t, b, u)
		f.TakeBack(t, b, u)
	}
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) })
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) })
	f.AddBooks(t, b) // the identifiers are free again
	f.AddUsers(t, u)
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
}

func loanToWhoIsOff(t *testing.T, f fixture.Store) {
	b, other, u := f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion"), f.AddUser(t, "jane@example.com")
	atDesk := func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Lend(false, now) }
	f.Lend(t, b, u)
	u.Inactive, u.Version = true, "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, u) })
	for _, book := range []library.Book{b, other} {
		f.TxFails(t, library.ErrUserNotFound, func(tx library.Tx) error {
			return testkit.Err(f.Decide(tx, book.ID, u.ID, fixture.BorrowedAt, atDesk))
		})
	}
	f.TakeBack(t, b, u)
	readers, err := f.Readers(f.Ctx, library.ReaderQuery{})
	fixture.WantError(t, err, nil)
	if len(readers) != 1 || !readers[0].Inactive {
		t.Errorf("the desk sees %+v", readers)
	}
	u.Inactive = false
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, u) })
	f.InTx(t, func(tx library.Tx) error {
		return testkit.Err(f.Decide(tx, other.ID, u.ID, fixture.BorrowedAt, atDesk))
	})
}

func loanReturnUndone(t *testing.T, f fixture.Store) {
	b, u, next := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com"), f.AddUser(t, "john@example.com")
	loan := f.Lend(t, b, u)
	f.InTx(t, func(tx library.Tx) error {
		return testkit.Err(f.Decide(tx, b.ID, next.ID, fixture.BorrowedAt, library.Circulation.PlaceHold))
	})
	before := f.ReadBook(t, b.ID)
	returned := fixture.BorrowedAt.Add(time.Hour)
	undo := func(tx library.Tx) error {
		last, err := tx.LastReturned(f.Ctx, loan.CopyID)
		if err != nil {
			return err
		}
		return testkit.Err(f.Decide(tx, b.ID, u.ID, returned.Add(time.Minute), func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.UndoReturn(loan.ID, last, now)
		}))
	}
	f.TxFails(t, library.ErrLoanNotFound, undo) // nothing came back yet
	f.TakeBack(t, b, u)
	f.InTx(t, undo)
	fixture.WantEqual(t, f.ReadBook(t, b.ID), before)
	read, err := f.Loan(f.Ctx, loan.ID, returned)
	fixture.WantError(t, err, nil)
	read.Awaited = loan.Awaited
	fixture.WantEqual(t, read, loan)
	holds, err := f.Holds(f.Ctx, library.HoldQuery{BookID: b.ID})
	fixture.WantError(t, err, nil)
	if len(holds) != 1 || holds[0].State != library.Waiting || holds[0].CopyID != "" {
		t.Errorf("the queue is %+v", holds)
	}
	f.TxFails(t, library.ErrLoanNotFound, undo)
	f.TakeBack(t, b, u)
	f.InTx(t, func(tx library.Tx) error { return testkit.Err(f.Borrow(tx, b, next)) })
	f.TxFails(t, library.ErrTooLate, undo)
}
