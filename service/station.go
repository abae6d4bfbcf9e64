package service

import (
	"context"
	"errors"
	"time"

	"example.org/library"
)

// Visitor is the person with a card, as a station may show one.
type Visitor struct {
	FirstName      string
	Loans, Overdue int
	Ready          []string // titles of the books set aside
}

// Visit returns the person with a card, for a station.
func (s *Service) Visit(ctx context.Context, a library.Actor, card string) (Visitor, error) {
	r, err := s.cardHolder(ctx, a, card)
	if err != nil {
		return Visitor{}, err
	}
	v := Visitor{FirstName: r.FirstName, Loans: r.Loans, Overdue: r.Overdue, Ready: []string{}}
	if r.ID != "" {
		holds, err := s.store.Holds(ctx, library.HoldQuery{Filter: library.ReadyHolds, UserID: r.ID, Limit: library.MaxReadyTitles})
		if err != nil {
			return Visitor{}, err
		}
		for _, h := range holds {
			if !s.now().After(h.Until) {
				v.Ready = append(v.Ready, h.Book.Title)
			}
		}
	}
	return withCard(ctx, s, a, r, scope{}, func(library.Tx, library.Actor, library.Circulation) (Visitor, error) { return v, nil })
}

// AtStation is a loan made or ended at a station. It has nothing about a person.
type AtStation struct {
	Book     library.BookRef
	Due      time.Time // of a new loan; zero for none
	SetAside bool      // a returned copy is for the next in the queue
}

func presentAtStation(_ library.Actor, d library.Decision) AtStation {
	return AtStation{Book: d.Loan.Book, Due: d.Loan.Due, SetAside: d.Hold.ID != ""}
}

// LendAtStation lends the copy with a barcode to the person with a card.
func (s *Service) LendAtStation(ctx context.Context, a library.Actor, card, barcode string) (AtStation, error) {
	r, err := s.cardHolder(ctx, a, card)
	if err != nil {
		return AtStation{}, err
	}
	c, err := onLabel(ctx, barcode, func(ctx context.Context, barcode string) (library.Copy, error) {
		return s.store.CopyInHand(ctx, "", barcode)
	})
	if err != nil && !errors.Is(err, library.ErrCopyNotFound) {
		return AtStation{}, err
	}
	allowed := byReader(library.Circulation.SelfBorrow)
	locks := scope{book: c.BookID, reader: r.ID}
	if r.ID == "" {
		locks.book = ""
	} else if err := s.seeMissing(ctx, a, library.Serve, c, r.ID, allowed); err != nil {
		return AtStation{}, copyGone(err)
	}
	rule := allowed(func(circulation library.Circulation, now time.Time) (library.Decision, error) {
		return circulation.LendCopy(c.ID, false, false, now)
	})
	lent, err := withCard(ctx, s, a, r, locks, func(tx library.Tx, caller library.Actor, circulation library.Circulation) (AtStation, error) {
		if circulation.Book.ID == "" {
			return AtStation{}, library.ErrUnknownCode
		}
		return decideFor(ctx, s, tx, caller, library.Serve, circulation, rule, presentAtStation)
	})
	return lent, copyGone(replaceErr(err, library.ErrUserNotFound, library.ErrUnknownCard))
}

// ReturnAtStation ends the loan of the copy with a barcode.
func (s *Service) ReturnAtStation(ctx context.Context, a library.Actor, barcode string) (AtStation, error) {
	if err := a.Authorize(library.Serve); err != nil {
		return AtStation{}, err
	}
	c, err := onLabel(ctx, barcode, s.store.CopyByBarcode)
	if err != nil {
		return AtStation{}, copyGone(err)
	}
	allowed := byReader(library.Circulation.SelfReturn)
	if err := s.seeMissing(ctx, a, library.Serve, c, "", allowed); err != nil {
		return AtStation{}, copyGone(err)
	}
	locks := scope{book: c.BookID}
	if c.Loan != nil {
		locks.reader = c.Loan.Borrower.ID
	}
	rule := allowed(func(circulation library.Circulation, now time.Time) (library.Decision, error) {
		return circulation.DropOff(c.ID, now)
	})
	back, err := circulate(ctx, s, a, library.Serve, locks, rule, presentAtStation)
	return back, copyGone(err)
}

// onLabel finds the copy with a barcode, which may be any text.
func onLabel(ctx context.Context, barcode string, find func(context.Context, string) (library.Copy, error)) (library.Copy, error) {
	if !library.IsCode(barcode) {
		return library.Copy{}, library.ErrCopyNotFound
	}
	return find(ctx, barcode)
}

// copyGone names the one error of a barcode without a copy, also of one that is removed meanwhile.
func copyGone(err error) error {
	return replaceErr(replaceErr(err, library.ErrCopyNotFound, library.ErrUnknownCode), library.ErrBookNotFound, library.ErrUnknownCode)
}

// cardHolder returns the active person with a card, the zero Reader for none. A station may learn of it
// inside withCard only.
func (s *Service) cardHolder(ctx context.Context, a library.Actor, card string) (library.Reader, error) {
	if err := a.Authorize(library.Serve); err != nil || !library.IsCode(card) {
		return library.Reader{}, err
	}
	q := library.ReaderQuery{UserQuery: library.UserQuery{Limit: 1, Active: new(true), Now: s.now()}, Card: card}
	readers, err := s.store.Readers(ctx, q)
	if err != nil || len(readers) == 0 {
		return library.Reader{}, err
	}
	return readers[0], nil
}

// withCard runs fn in a transaction of a station about the person with a card. The transactions of one
// station run one after another, so that its unknown cards are counted exactly. An unknown card is
// recorded, and the transaction commits before it is refused.
func withCard[T any](ctx context.Context, s *Service, a library.Actor, r library.Reader, locks scope, fn func(library.Tx, library.Actor, library.Circulation) (T, error)) (T, error) {
	locks.alone = true
	result, err := changeTo(ctx, s, a, library.Serve, locks, func(tx library.Tx, caller library.Actor, c library.Circulation) (result T, err error) {
		now := s.now()
		unknown, err := tx.UnknownCards(ctx, caller.User.ID)
		if err == nil {
			err = library.MayTryCard(unknown, now)
		}
		switch {
		case err != nil:
			return result, err
		case r.ID == "":
			return result, tx.AddUnknownCard(ctx, caller.User.ID, now, now.Add(-library.UnknownCardTime))
		}
		return fn(tx, caller, c)
	})
	if err == nil && r.ID == "" {
		err = library.ErrUnknownCard
	}
	return result, err
}
