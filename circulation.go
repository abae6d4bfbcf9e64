package library

import "time"

// Circulation is a book with everything that decides who may have it: today its
// open loan. The rules of lending are its methods. They know no store and no
// clock: Service loads a Circulation, asks one of its rules, and saves the
// Decision. While it does so, the store lets nobody else change the book or
// lend it.
type Circulation struct {
	Book Book // with its open loan
}

// Decision is what a rule allows: the loans that change, and the book as it is
// then. A decision without loans changes nothing.
type Decision struct {
	Book   Book
	Opened *Loan
	Closed *Loan
}

// Borrow lends the book to the actor. Borrowing a book that one has already
// changes nothing and succeeds.
func (c Circulation) Borrow(a Actor, now time.Time) (Decision, error) {
	b := c.Book
	switch {
	case b.Loan == nil:
		b.Loan = &Loan{ID: NewID(), BookID: b.ID, Title: b.Title, Borrower: a.person(), Since: now}
		return Decision{Book: b, Opened: b.Loan}, nil
	case b.Loan.Borrower.ID == a.User.ID:
		return Decision{Book: b}, nil
	default:
		return Decision{}, ErrBookBorrowed
	}
}

// Return ends the actor's loan of the book.
func (c Circulation) Return(a Actor, now time.Time) (Decision, error) {
	b := c.Book
	switch {
	case b.Loan == nil:
		return Decision{}, ErrBookNotBorrowed
	case b.Loan.Borrower.ID != a.User.ID:
		return Decision{}, ErrNotYourLoan
	}
	closed := *b.Loan
	closed.Returned = now
	b.Loan = nil
	return Decision{Book: b, Closed: &closed}, nil
}

// Edit is the book with other fields. A loan is no obstacle, and stays.
func (c Circulation) Edit(f BookFields, pre Precondition) (Book, error) {
	if !pre.accepts(c.Book.Version) {
		return Book{}, ErrOutdated
	}
	b := c.Book
	b.BookFields, b.Version = f, newVersion()
	return b, nil
}

// Delete returns nil if the book may be deleted: nobody has it.
func (c Circulation) Delete(pre Precondition) error {
	switch {
	case !pre.accepts(c.Book.Version):
		return ErrOutdated
	case c.Book.Borrowed():
		return ErrBookOnLoan
	}
	return nil
}
