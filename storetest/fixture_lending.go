package storetest

import (
	"testing"
	"time"

	"example.org/library"
)

// load locks a book and loads its circulation, for the program itself.
func (f fixture) load(tx library.Tx, bookID string) (library.Circulation, error) {
	_, c, err := tx.Load(f.ctx, library.Load{Book: bookID, Now: epoch})
	if err == nil && c == nil {
		err = library.ErrBookNotFound
	}
	if err != nil {
		return library.Circulation{}, err
	}
	return *c, nil
}

// decide loads a book, asks a rule of lending as it would be asked for a reader,
// and saves the decision.
func (f fixture) decide(tx library.Tx, bookID, readerID string, now time.Time,
	rule func(library.Circulation, time.Time) (library.Decision, error)) (library.Decision, error) {
	_, c, err := tx.Load(f.ctx, library.Load{Book: bookID, Reader: readerID, Now: now})
	if err == nil && c == nil {
		err = library.ErrBookNotFound
	}
	if err != nil {
		return library.Decision{}, err
	}
	d, err := rule(*c, now)
	if err != nil {
		return d, err
	}
	return d, tx.Save(f.ctx, d)
}

// borrowed is when all loans begin.
var borrowed = epoch.Add(time.Hour)

func (f fixture) borrow(tx library.Tx, b library.Book, u library.User) (library.Loan, error) {
	d, err := f.decide(tx, b.ID, u.ID, borrowed, library.Circulation.Borrow)
	l := d.Loan
	l.Overdue, l.Renewable, l.BorrowerOverdue, l.RenewableFrom = false, false, false, time.Time{} // what is not kept
	return l, err
}

func (f fixture) giveBack(tx library.Tx, b library.Book, u library.User) error {
	_, err := f.decide(tx, b.ID, u.ID, borrowed.Add(time.Hour), library.Circulation.Return)
	return err
}

func (f fixture) lend(t testing.TB, b library.Book, u library.User) (l library.Loan) {
	t.Helper()
	f.tx(t, func(tx library.Tx) (err error) { l, err = f.borrow(tx, b, u); return err })
	return l
}

func (f fixture) takeBack(t testing.TB, b library.Book, u library.User) {
	t.Helper()
	f.tx(t, func(tx library.Tx) error { return f.giveBack(tx, b, u) })
}

// lentAs is a book with one copy, which is lent.
func lentAs(b library.Book, l library.Loan) library.Book {
	b.Loan, b.Stock = &l, library.Stock{Copies: 1, Lent: 1, Borrowed: true, Due: l.Due}
	b.Readers = []string{l.Borrower.ID}
	return b
}

func setPolicy(t testing.TB, f fixture, s *library.Service, admin library.Actor, change func(*library.Policy)) {
	t.Helper()
	p := library.DefaultPolicy()
	change(&p)
	if err := patiently(func() error { _, err := s.SetPolicy(f.ctx, admin, p, nil); return err }); err != nil {
		t.Fatalf("SetPolicy: %v", err)
	}
}

// addBookWith adds a book with some copies.
func addBookWith(t testing.TB, f fixture, s *library.Service, a library.Actor, copies int) string {
	t.Helper()
	b, err := s.AddBook(f.ctx, a, "", library.BookFields{Title: "Emma"}, copies)
	if err != nil {
		t.Fatalf("AddBook: %v", err)
	}
	return b.ID
}
