package service

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// Borrow lends a copy of a book to the actor.
func (s *Service) Borrow(ctx context.Context, a library.Actor, bookID string) (library.Book, error) {
	return circulate(ctx, s, a, library.Lend, scope{book: bookID}, library.ByOneself(library.Policy.SelfBorrow, library.Circulation.Borrow), s.presentBook)
}

// Return ends the actor's loan of a book.
func (s *Service) Return(ctx context.Context, a library.Actor, bookID string) (library.Book, error) {
	return circulate(ctx, s, a, library.Lend, scope{book: bookID}, library.ByOneself(library.Policy.SelfReturn, library.Circulation.Return), s.presentBook)
}

// Lending is what is lent at the desk: to whom, and one of a book, a copy and a
// barcode.
type Lending struct {
	UserID                  string
	BookID, CopyID, Barcode string
}

// Lend lends at the desk.
func (s *Service) Lend(ctx context.Context, a library.Actor, l Lending) (library.Loan, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return library.Loan{}, err
	}
	bookID, copyID, err := s.meant(ctx, l)
	if err != nil {
		return library.Loan{}, err
	}
	return circulate(ctx, s, a, library.Curate, scope{book: bookID, reader: l.UserID}, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.Lend(copyID, now)
	}, presentLoan)
}

// meant is the book, and the copy if one is named, that is to be lent.
func (s *Service) meant(ctx context.Context, l Lending) (bookID, copyID string, err error) {
	var c library.Copy
	switch {
	case l.BookID != "":
		return l.BookID, "", nil
	case l.CopyID != "":
		c, err = s.store.Copy(ctx, l.CopyID)
	default:
		c, err = s.store.CopyByBarcode(ctx, l.Barcode)
	}
	return c.BookID, c.ID, err
}

// Renew gives a loan a new due date: one's own, or any for curators.
func (s *Service) Renew(ctx context.Context, a library.Actor, id string) (library.Loan, error) {
	renew := func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Renew(id, now) }
	return onLoan(ctx, s, a, id, renew, renew, presentLoan)
}

// ReturnedLoan is a loan that has ended.
type ReturnedLoan struct {
	library.Loan
	SetAside *library.Hold // for which the copy is set aside now, if there is one; only for staff
}

// ReturnLoan ends a loan: one's own, or any for curators.
func (s *Service) ReturnLoan(ctx context.Context, a library.Actor, id string) (ReturnedLoan, error) {
	takeBack := func(atDesk bool) library.Rule {
		return func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.ReturnLoan(id, atDesk, now)
		}
	}
	return onLoan(ctx, s, a, id, library.ByOneself(library.Policy.SelfReturn, takeBack(false)), takeBack(true),
		func(caller library.Actor, d library.Decision) ReturnedLoan {
			if d.Hold.ID == "" || !caller.IsStaff() {
				return ReturnedLoan{Loan: d.Loan}
			}
			return ReturnedLoan{Loan: d.Loan, SetAside: &d.Hold}
		})
}

// onLoan asks a rule about the book of a loan, if the actor may change the loan:
// one for readers, and one for the desk, which is where curators are.
func onLoan[T any](ctx context.Context, s *Service, a library.Actor, id string, own, desk library.Rule, present func(library.Actor, library.Decision) T) (none T, err error) {
	l, err := s.Loan(ctx, a, id)
	if err != nil {
		return none, err
	}
	p, err := a.Handles(l.Borrower)
	if err != nil {
		return none, err
	}
	if !l.Open() {
		return none, library.ErrNotOpen
	}
	r := own
	if p == library.Curate {
		r = desk
	}
	result, err := circulate(ctx, s, a, p, scope{book: l.Book.ID, reader: l.Borrower.ID}, r, present)
	return result, insteadOf(err, library.ErrBookNotFound, library.ErrNotOpen) // returned, and the book deleted, meanwhile
}

// Loan returns one loan: one's own, or any for staff.
func (s *Service) Loan(ctx context.Context, a library.Actor, id string) (library.Loan, error) {
	now := s.now()
	l, err := s.store.Loan(ctx, id, now)
	if err == nil && !a.Sees(l.Borrower) {
		err = library.ErrLoanNotFound
	}
	if err != nil {
		return library.Loan{}, err
	}
	p, err := s.store.Policy(ctx)
	return l.Judged(p, now), err
}

// Loans lists loans: one's own, or everybody's for staff.
func (s *Service) Loans(ctx context.Context, a library.Actor, q library.LoanQuery) (List[library.Loan], error) {
	if q.Group != "" && !a.IsStaff() {
		return List[library.Loan]{}, a.Authorize(library.Oversee)
	}
	var err error
	if q.UserID, err = a.ListsOf(q.UserID); err != nil {
		return List[library.Loan]{}, err
	}
	if q.Filter == "" {
		q.Filter = library.OpenLoans
	}
	q.Now = s.now()
	p, err := s.store.Policy(ctx)
	if err != nil {
		return List[library.Loan]{}, err
	}
	return pagination.Read(pager[library.Loan]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountLoans(ctx, q) },
		Read: func(limit, _ int, after *library.Cursor) ([]library.Loan, error) {
			q.Limit, q.After = limit, after
			return s.store.Loans(ctx, q)
		},
		Show:   func(l library.Loan) library.Loan { return l.Judged(p, q.Now) },
		Bytes:  library.Loan.Weight,
		Cursor: func(l library.Loan) library.Cursor { return l.Cursor(q.Filter) },
	})
}
