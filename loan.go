package library

import (
	"context"
	"errors"
	"time"
)

// Loan is one borrowing of one book. It is open until the book is returned and
// stays in the library's memory after that.
type Loan struct {
	ID       string
	BookID   string
	Title    string // as the book was called when it was borrowed
	Borrower Person
	Since    time.Time
}

// Person is a user as far as other people may see one.
type Person struct {
	ID        string
	FirstName string
	LastName  string
	Version   string
}

// Borrow lends a book to the actor. Borrowing a book that one has already
// changes nothing and succeeds.
func (s *Service) Borrow(ctx context.Context, a Actor, bookID string) (Book, error) {
	var lent Book
	err := s.change(ctx, a, Lend, subject{book: bookID}, func(tx Tx, a Actor, b Book) error {
		b, err := borrow(ctx, tx, a, b, s.now())
		if errors.Is(err, ErrBookBorrowed) && b.Loan == nil {
			// Somebody was faster between our look and our insert. Look once
			// more: it may have been the same person in another window.
			if b, err = tx.Book(ctx, bookID); err != nil {
				return err
			}
			b, err = borrow(ctx, tx, a, b, s.now())
		}
		lent = b.seenBy(a)
		return err
	})
	return lent, err
}

func borrow(ctx context.Context, tx Tx, a Actor, b Book, now time.Time) (Book, error) {
	if b.Borrowed() {
		if b.Loan.Borrower.ID == a.User.ID {
			return b, nil
		}
		return b, ErrBookBorrowed
	}
	loan := Loan{ID: NewID(), BookID: b.ID, Title: b.Title, Borrower: a.person(), Since: now}
	if err := tx.OpenLoan(ctx, loan); err != nil {
		return b, err
	}
	b.Loan = &loan
	return b, nil
}

// Return ends the actor's loan of a book.
func (s *Service) Return(ctx context.Context, a Actor, bookID string) (Book, error) {
	var returned Book
	err := s.change(ctx, a, Lend, subject{book: bookID}, func(tx Tx, a Actor, b Book) error {
		switch {
		case !b.Borrowed():
			return ErrBookNotBorrowed
		case b.Loan.Borrower.ID != a.User.ID:
			return ErrNotYourLoan
		}
		if err := tx.CloseLoan(ctx, b.Loan.ID, s.now()); err != nil {
			return err
		}
		b.Loan = nil
		returned = b
		return nil
	})
	return returned, err
}

func (a Actor) person() Person {
	u := a.User
	return Person{ID: u.ID, FirstName: u.FirstName, LastName: u.LastName, Version: u.Version}
}
