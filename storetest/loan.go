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
	lent := b
	lent.Loan = &loan
	wantEqual(t, f.book(t, b.ID), lent)
	wantEqual(t, f.book(t, other.ID), other)
	borrowed, err := f.Books(f.ctx, library.BookQuery{BorrowedBy: u.ID})
	wantError(t, err, nil)
	wantEqual(t, borrowed, []library.Book{lent})
	if !has() {
		t.Error("a borrower has no loans")
	}

	// The book's new title is not the loan's, the borrower's new name is.
	b.Title, u.LastName, u.Version = "Emma, revised", "Married", "v2"
	f.tx(t, func(tx library.Tx) error {
		if err := tx.UpdateBook(f.ctx, b); err != nil {
			return err
		}
		return tx.UpdateUser(f.ctx, u)
	})
	got := f.book(t, b.ID)
	wantEqual(t, got.Loan.Title, "Emma")
	wantEqual(t, got.Loan.Borrower, library.Person{ID: u.ID, FirstName: u.FirstName, LastName: "Married", Version: "v2"})

	f.tx(t, func(tx library.Tx) error { return tx.CloseLoan(f.ctx, loan.ID, epoch) })
	wantEqual(t, f.book(t, b.ID), b)
	if has() {
		t.Error("a user who returned everything has loans")
	}
	f.txFails(t, library.ErrBookNotBorrowed, func(tx library.Tx) error { return tx.CloseLoan(f.ctx, loan.ID, epoch) })
	f.lend(t, b, u) // it can be borrowed again
}

func loanOnlyOne(t *testing.T, f fixture) {
	b, u, other := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com"), f.addUser(t, "john@example.com")
	first := f.lend(t, b, u)
	f.tx(t, func(tx library.Tx) error {
		for _, reader := range []library.User{u, other} {
			wantError(t, tx.OpenLoan(f.ctx, newLoan(b, reader)), library.ErrBookBorrowed)
		}
		// The transaction is still good.
		got, err := tx.Circulation(f.ctx, b.ID)
		if err == nil {
			wantEqual(t, got.Book.Loan.ID, first.ID)
		}
		return err
	})
}

func loanNeedsBothEnds(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	f.txFails(t, library.ErrUserNotFound, func(tx library.Tx) error {
		return tx.OpenLoan(f.ctx, newLoan(b, newUser("nobody@example.com")))
	})
	f.txFails(t, library.ErrBookNotFound, func(tx library.Tx) error {
		return tx.OpenLoan(f.ctx, newLoan(newBook(library.BookFields{Title: "Sanditon"}), u))
	})
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
	b.Loan = &loan
	wantEqual(t, f.book(t, b.ID), b)
}

func loanClosedLetsGo(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	for range 3 {
		loan := f.lend(t, b, u)
		f.tx(t, func(tx library.Tx) error { return tx.CloseLoan(f.ctx, loan.ID, epoch) })
	}
	f.tx(t, func(tx library.Tx) error { return tx.DeleteBook(f.ctx, b.ID) })
	f.tx(t, func(tx library.Tx) error { return tx.DeleteUser(f.ctx, u.ID) })
	f.addBooks(t, b) // the identifiers are free again
	f.addUsers(t, u)
	wantEqual(t, f.book(t, b.ID), b)
}
