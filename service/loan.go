package service

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// Borrow lends a copy of a book to the actor.
func (s *Service) Borrow(ctx context.Context, a library.Actor, bookID string) (library.Book, error) {
	return circulate(ctx, s, a, library.Lend, scope{book: bookID}, library.SelfService(library.Circulation.SelfBorrow, library.Circulation.Borrow), s.presentBook)
}

// Return ends the actor's loan of a book.
func (s *Service) Return(ctx context.Context, a library.Actor, bookID string) (library.Book, error) {
	return circulate(ctx, s, a, library.Lend, scope{book: bookID}, library.SelfService(library.Circulation.SelfReturn, library.Circulation.Return), s.presentBook)
}

// Lending is what is lent to whom: one of a book, a copy and a barcode.
type Lending struct {
	UserID                  string // "" for the actor, without the desk
	BookID, CopyID, Barcode string
	Swap                    bool // at the desk: the loan of a copy that somebody else has moves to a free one
	Several                 bool // at the desk: the reader may have other copies of the book
}

// LentLoan is a new loan.
type LentLoan struct {
	library.Loan
	Swapped bool // another loan was moved to a free copy
}

func presentLent(_ library.Actor, d library.Decision) LentLoan { return LentLoan{d.Loan, d.Swapped} }

// Lend lends at the desk, or to the actor.
func (s *Service) Lend(ctx context.Context, a library.Actor, l Lending) (LentLoan, error) {
	p := library.Curate
	if l.UserID == "" {
		p = library.Lend
	}
	if err := a.Precheck(p); err != nil {
		return LentLoan{}, err
	}
	allowed := byDesk
	if p == library.Lend {
		allowed = byReader(library.Circulation.SelfBorrow)
	}
	locks := scope{book: l.BookID, reader: l.UserID}
	if l.BookID != "" {
		return circulate(ctx, s, a, p, locks, allowed(func(circulation library.Circulation, now time.Time) (library.Decision, error) {
			return circulation.Lend(l.Several, now)
		}), presentLent)
	}
	c, err := s.store.CopyInHand(ctx, l.CopyID, l.Barcode)
	if err == nil {
		err = s.seeMissing(ctx, a, p, c, l.UserID, allowed)
	}
	if err != nil {
		return LentLoan{}, err
	}
	locks.book = c.BookID
	return circulate(ctx, s, a, p, locks, allowed(func(circulation library.Circulation, now time.Time) (library.Decision, error) {
		return circulation.LendCopy(c.ID, l.Swap, l.Several, now)
	}), presentLent)
}

// byDesk returns a rule for the desk, as it is.
func byDesk(r library.Rule) library.Rule { return r }

// byReader returns how a rule is asked by readers without the desk.
func byReader(allowed func(library.Circulation, time.Time) error) func(library.Rule) library.Rule {
	return func(r library.Rule) library.Rule { return library.SelfService(allowed, r) }
}

// copyInHand returns the copy with an identifier, or with a barcode.
func (s *Service) copyInHand(ctx context.Context, id, barcode string) (library.Copy, error) {
	if id != "" {
		return s.store.Copy(ctx, id)
	}
	return s.store.CopyByBarcode(ctx, barcode)
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
	Swapped  bool          // the loan was moved to the copy in hand
}

func presentReturned(caller library.Actor, d library.Decision) ReturnedLoan {
	l := ReturnedLoan{Loan: d.Loan, Swapped: d.Swapped}
	if d.Hold.ID != "" && caller.IsStaff() {
		l.SetAside = &d.Hold
	}
	return l
}

// ReturnLoan ends a loan: one's own, or any for curators.
func (s *Service) ReturnLoan(ctx context.Context, a library.Actor, id string) (ReturnedLoan, error) {
	takeBack := func(atDesk bool) library.Rule {
		return func(c library.Circulation, now time.Time) (library.Decision, error) {
			return c.ReturnLoan(id, atDesk, false, now)
		}
	}
	return onLoan(ctx, s, a, id, library.SelfService(library.Circulation.SelfReturn, takeBack(false)), takeBack(true), presentReturned)
}

// UndoReturn opens a loan again as it was before its return.
func (s *Service) UndoReturn(ctx context.Context, a library.Actor, id string) (library.Loan, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return library.Loan{}, err
	}
	l, err := s.Loan(ctx, a, id)
	switch {
	case err != nil:
		return library.Loan{}, err
	case l.Open():
		return library.Loan{}, library.ErrNotReturned
	case l.Book.ID == "" || l.CopyID == "" || l.Borrower.ID == "": // removed or forgotten
		return library.Loan{}, library.ErrTooLate
	}
	undone, err := changeTo(ctx, s, a, library.Curate, scope{book: l.Book.ID, reader: l.Borrower.ID},
		func(tx library.Tx, caller library.Actor, c library.Circulation) (library.Loan, error) {
			last, err := tx.LastReturned(ctx, l.CopyID)
			if err != nil {
				return library.Loan{}, replaceErr(err, library.ErrLoanNotFound, library.ErrTooLate)
			}
			d, err := s.decide(ctx, tx, c, s.now(), func(c library.Circulation, now time.Time) (library.Decision, error) {
				return c.UndoReturn(id, last, now)
			})
			if err != nil {
				return library.Loan{}, err
			}
			return d.Loan, s.saveResponse(ctx, tx, caller, library.Curate, d.Loan, recordsIn(d)...)
		})
	return undone, replaceErr(err, library.ErrBookNotFound, library.ErrTooLate) // deleted meanwhile
}

// onLoan asks a rule about the book of a loan, if the actor may change the loan: one for readers, and
// one for curators at the desk.
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
	return result, replaceErr(err, library.ErrBookNotFound, library.ErrNotOpen) // returned, and the book deleted, meanwhile
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
	q.Zone = p.Zone()
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
