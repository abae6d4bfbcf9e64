package library

import (
	"context"
	"time"
)

// Loan is one borrowing of one book. It is open until the book is returned, and
// is kept after that.
type Loan struct {
	ID       string
	BookID   string
	Title    string // as the book was called when it was borrowed
	Borrower Person
	Since    time.Time
	Returned time.Time // zero while the loan is open
}

// Person is a user as far as other people may see one.
type Person struct {
	ID        string
	FirstName string
	LastName  string
	Version   string
}

// LoanTx is what a store does with loans inside a transaction.
type LoanTx interface {
	// Circulation loads a book with all that decides who may have it, or
	// ErrBookNotFound. It is locked: nobody else changes or lends the book until
	// the end of the transaction.
	Circulation(ctx context.Context, bookID string) (Circulation, error)

	// OpenLoan fails with ErrBookBorrowed if the book has an open loan, and
	// leaves the transaction usable then.
	OpenLoan(ctx context.Context, l Loan) error
	CloseLoan(ctx context.Context, loanID string, at time.Time) error
	HasOpenLoans(ctx context.Context, userID string) (bool, error)
}

// Borrow lends a book to the actor.
func (s *Service) Borrow(ctx context.Context, a Actor, bookID string) (Book, error) {
	return s.circulate(ctx, a, bookID, Circulation.Borrow)
}

// Return ends the actor's loan of a book.
func (s *Service) Return(ctx context.Context, a Actor, bookID string) (Book, error) {
	return s.circulate(ctx, a, bookID, Circulation.Return)
}

// circulate loads a book, asks a rule of lending, and saves what it decides.
func (s *Service) circulate(ctx context.Context, a Actor, bookID string,
	rule func(Circulation, Actor, time.Time) (Decision, error)) (Book, error) {
	var shown Book
	err := s.change(ctx, a, Lend, scope{book: bookID}, func(tx Tx, a Actor, c Circulation) error {
		d, err := rule(c, a, s.now())
		if err != nil {
			return err
		}
		shown = d.Book.seenBy(a)
		return d.save(ctx, tx)
	})
	return shown, err
}

func (d Decision) save(ctx context.Context, tx Tx) error {
	if d.Closed != nil {
		if err := tx.CloseLoan(ctx, d.Closed.ID, d.Closed.Returned); err != nil {
			return err
		}
	}
	if d.Opened != nil {
		return tx.OpenLoan(ctx, *d.Opened)
	}
	return nil
}

func (a Actor) person() Person {
	u := a.User
	return Person{ID: u.ID, FirstName: u.FirstName, LastName: u.LastName, Version: u.Version}
}
