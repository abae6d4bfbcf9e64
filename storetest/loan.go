package storetest

import (
	"testing"

	"example.org/library"
)

func loanOpenAndClose(t *testing.T, f fixture) {
	b, other, u := f.addBook(t, "Emma"), f.addBook(t, "Persuasion"), f.addUser(t, "jane@example.com")
	has := func() (has bool) {
		f.tx(t, func(tx library.Tx) (err error) { has, err = tx.HasOpenLoans(f.ctx, u.ID); return err })
		return has
	}
	if has() {
		t.Error("a new user has loans")
	}
	loan := f.lend(t, b, u)
	lent := lentAs(b, loan)
	wantEqual(t, f.book(t, b.ID), lent)
	wantEqual(t, f.book(t, other.ID), other)
	borrowed, err := f.Books(f.ctx, library.BookQuery{BorrowedBy: u.ID})
	wantError(t, err, nil)
	wantEqual(t, borrowed, []library.Book{lent})
	if !has() {
		t.Error("a borrower has no loans")
	}

	// The book's new title and the borrower's new name are the loan's, too.
	b.Title, u.LastName, u.Version = "Emma, revised", "Married", "v2"
	f.tx(t, func(tx library.Tx) error {
		if err := tx.UpdateBook(f.ctx, b); err != nil {
			return err
		}
		return tx.UpdateUser(f.ctx, u)
	})
	got := f.book(t, b.ID)
	wantEqual(t, got.Loan.Book.Title, "Emma, revised")
	wantEqual(t, got.Loan.Borrower, library.Person{ID: u.ID, FirstName: u.FirstName, LastName: "Married", Version: "v2"})

	f.takeBack(t, b, u)
	wantEqual(t, f.book(t, b.ID), b)
	if has() {
		t.Error("a user who returned everything has loans")
	}
	f.txFails(t, library.ErrNotOpen, func(tx library.Tx) error {
		loan.Returned = epoch
		return tx.Save(f.ctx, library.Decision{BookID: b.ID, Changed: []library.Loan{loan}, Stock: oneCopy})
	})
	f.lend(t, b, u) // it can be borrowed again
}

// opens is a decision that lends a copy, whatever the rules say.
func opens(b library.Book, copyID string, u library.User) library.Decision {
	l := library.Loan{ID: library.NewID(), Book: ref(b), CopyID: copyID, Borrower: person(u), Since: borrowed}
	return library.Decision{BookID: b.ID, Happened: library.BookBorrowed, Stock: lentAs(b, l).Stock, Opened: []library.Loan{l}}
}

// copyOf is the identifier of the first copy of a book.
func copyOf(t testing.TB, f fixture, b library.Book) string {
	t.Helper()
	copies, err := f.Copies(f.ctx, b.ID)
	if err != nil || len(copies) == 0 {
		t.Fatalf("%d copies, error %v", len(copies), err)
	}
	return copies[0].ID
}

func loanOnlyOne(t *testing.T, f fixture) {
	b, u, other := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com"), f.addUser(t, "john@example.com")
	first := f.lend(t, b, u)
	for _, reader := range []library.User{u, other} {
		if err := f.Tx(f.ctx, func(tx library.Tx) error { return tx.Save(f.ctx, opens(b, first.CopyID, reader)) }); err == nil {
			t.Error("a copy was lent twice")
		}
	}
	wantEqual(t, f.book(t, b.ID), lentAs(b, first))
}

func loanNeedsBothEnds(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	other := f.addBook(t, "Persuasion")
	for what, d := range map[string]library.Decision{
		"an unknown user":          opens(b, copyOf(t, f, b), newUser("nobody@example.com")),
		"an unknown copy":          opens(b, library.NewID(), u),
		"the copy of another book": opens(b, copyOf(t, f, other), u),
		"an unknown book":          opens(newBook(library.BookFields{Title: "Sanditon"}), copyOf(t, f, b), u),
	} {
		if err := f.Tx(f.ctx, func(tx library.Tx) error { return tx.Save(f.ctx, d) }); err == nil {
			t.Errorf("a loan with %s was kept", what)
		}
	}
	wantEqual(t, f.book(t, b.ID), b)
}

func loanHoldsBothEnds(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	loan := f.lend(t, b, u)
	for _, fn := range []func(library.Tx) error{
		func(tx library.Tx) error { return tx.DeleteBook(f.ctx, b.ID) },
		func(tx library.Tx) error { return tx.DeleteUser(f.ctx, u.ID) },
	} {
		if err := f.Tx(f.ctx, fn); err == nil {
			t.Fatal("a record with an open loan was deleted")
		}
	}
	wantEqual(t, f.book(t, b.ID), lentAs(b, loan))
}

func loanClosedLetsGo(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	for range 3 {
		f.lend(t, b, u)
		f.takeBack(t, b, u)
	}
	f.tx(t, func(tx library.Tx) error { return tx.DeleteBook(f.ctx, b.ID) })
	f.tx(t, func(tx library.Tx) error { return tx.DeleteUser(f.ctx, u.ID) })
	f.addBooks(t, b) // the identifiers are free again
	f.addUsers(t, u)
	wantEqual(t, f.book(t, b.ID), b)
}
