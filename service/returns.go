package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// Returning is a copy that comes back: one of its identifier and its barcode.
type Returning struct {
	CopyID, Barcode string
	LoanID          string // the loan to end with it, at the desk; "" for the copy's own
	AsClaimed       bool   // at the desk: the loan ends as of its claim
}

// ReturnCopy ends a loan with the copy in hand: the actor's own, or any for curators.
func (s *Service) ReturnCopy(ctx context.Context, a library.Actor, r Returning) (ReturnedLoan, error) {
	p := library.Lend
	if a.Has(library.RoleCurator) || r.LoanID != "" || r.AsClaimed {
		p = library.Curate
	}
	if err := a.Authorize(p); err != nil {
		return ReturnedLoan{}, err
	}
	c, err := s.copyInHand(ctx, r.CopyID, r.Barcode)
	if err != nil {
		return ReturnedLoan{}, replaceErr(err, library.ErrCopyNotFound, library.ErrUnknownCode)
	}
	allowed := byDesk
	if p == library.Lend {
		allowed = byReader(library.Circulation.SelfReturn)
	}
	if err := s.seeMissing(ctx, a, p, c, "", allowed); err != nil {
		return ReturnedLoan{}, err
	}
	if p == library.Lend {
		return circulate(ctx, s, a, p, scope{book: c.BookID}, allowed(func(circulation library.Circulation, now time.Time) (library.Decision, error) {
			return circulation.ReturnCopy(c.ID, now)
		}), presentReturned)
	}
	return s.takeBack(ctx, a, c, r)
}

// takeBack ends a loan at the desk. Where nobody has the copy, the refusal names the
// loans that it may belong to.
func (s *Service) takeBack(ctx context.Context, a library.Actor, c library.Copy, r Returning) (ReturnedLoan, error) {
	borrower := ""
	if c.Loan != nil {
		borrower = c.Loan.Borrower.ID
	}
	if r.LoanID != "" {
		l, err := s.openLoan(ctx, a, r.LoanID, c)
		if err != nil {
			return ReturnedLoan{}, err
		}
		borrower = l.Borrower.ID
	}
	rule := func(circulation library.Circulation, now time.Time) (library.Decision, error) {
		return circulation.TakeBack(c.ID, r.LoanID, r.AsClaimed, now)
	}
	returned, err := circulate(ctx, s, a, library.Curate, scope{book: c.BookID, reader: borrower}, rule, presentReturned)
	if errors.Is(err, library.ErrCopyNotBorrowed) {
		return returned, s.withCandidates(ctx, err, c.BookID)
	}
	return returned, replaceErr(err, library.ErrBookNotFound, library.ErrUnknownCode) // deleted meanwhile
}

// openLoan returns an open loan of the copy's book.
func (s *Service) openLoan(ctx context.Context, a library.Actor, id string, c library.Copy) (library.Loan, error) {
	l, err := s.Loan(ctx, a, id)
	switch {
	case err != nil:
		return library.Loan{}, err
	case !l.Open():
		return library.Loan{}, library.ErrNotOpen
	case l.Book.ID != c.BookID:
		return library.Loan{}, library.ErrOtherBook
	}
	return l, nil
}

// withCandidates adds the open loans of a book to a refusal, the oldest first.
func (s *Service) withCandidates(ctx context.Context, refusal error, bookID string) error {
	ruled, ok := errors.AsType[*library.Error](refusal)
	if !ok {
		return refusal
	}
	now := s.now()
	loans, err := s.store.Loans(ctx, library.LoanQuery{Filter: library.OpenLoans, BookID: bookID, Limit: library.MaxCopies, Now: now})
	if err != nil {
		return err
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return err
	}
	loans = slices.Clone(loans)
	slices.SortFunc(loans, func(a, b library.Loan) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	named := *ruled
	named.Candidates = []library.Loan{}
	for _, l := range loans[:min(len(loans), library.MaxCandidates)] {
		named.Candidates = append(named.Candidates, l.Judged(p, now))
	}
	return &named
}

// Moving is the copy to which a loan moves: one of its identifier and its barcode.
type Moving struct {
	CopyID, Barcode string
	Swap            bool // the loan of another person moves the other way
}

// MoveLoan gives an open loan another copy of its book.
func (s *Service) MoveLoan(ctx context.Context, a library.Actor, id string, to Moving) (library.Loan, error) {
	if err := a.Authorize(library.Curate); err != nil {
		return library.Loan{}, err
	}
	if _, err := s.Loan(ctx, a, id); err != nil {
		return library.Loan{}, err
	}
	c, err := s.store.CopyInHand(ctx, to.CopyID, to.Barcode)
	if err != nil {
		return library.Loan{}, err
	}
	l, err := s.openLoan(ctx, a, id, c)
	if err != nil {
		return library.Loan{}, err
	}
	return circulate(ctx, s, a, library.Curate, scope{book: c.BookID, reader: l.Borrower.ID}, func(circulation library.Circulation, now time.Time) (library.Decision, error) {
		return circulation.Move(id, c.ID, to.Swap, now)
	}, presentLoan)
}
