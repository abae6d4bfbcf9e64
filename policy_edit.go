package library

import (
	"cmp"
	"context"
	"time"

	"example.org/library/internal/calendar"
)

// PolicyStore is what a store does with the policy. There always is one.
type PolicyStore interface {
	Policy(ctx context.Context) (Policy, error)
}

// PolicyTx is what a store does with the policy inside a transaction.
type PolicyTx interface {
	Policy(ctx context.Context) (Policy, error) // locked
	PolicyNow(ctx context.Context) (Policy, error)
	SavePolicy(ctx context.Context, p Policy) error
	// Ends returns every instant at which a loan is or was due, or until which a
	// copy is set aside. There is one for each day, however many loans there are.
	Ends(ctx context.Context) ([]time.Time, error)
	// MoveEnds puts other instants in the place of these, everywhere and all of
	// them at once. Nobody lends or reserves meanwhile: see PolicyLock.
	MoveEnds(ctx context.Context, moves []EndMove) error
}

// EndMove is another instant in the place of one.
type EndMove struct{ From, To time.Time }

// Policy returns the rules of the library.
func (s *Service) Policy(ctx context.Context, a Actor) (Policy, error) {
	if err := a.Authorize(Read); err != nil {
		return Policy{}, err
	}
	return s.store.Policy(ctx)
}

// moveEndsFor is how long a change of the time zone may take: it touches every loan
// that has a due date.
const moveEndsFor = time.Minute

// SetPolicy replaces the rules, for new loans and renewals. Due dates keep their day
// and get the new time zone: what is due on a day is due at the end of that day there.
// It fails with ErrOutdated unless pre accepts the version that is being replaced.
func (s *Service) SetPolicy(ctx context.Context, a Actor, p Policy, pre Precondition) (Policy, error) {
	if err := cmp.Or(a.Precheck(Administer), p.Normalize()); err != nil {
		return Policy{}, err
	}
	if now, err := s.store.Policy(ctx); err != nil {
		return Policy{}, err
	} else if now.TimeZone != p.TimeZone {
		ctx = WithStoreTimeout(ctx, moveEndsFor)
	}
	err := s.change(ctx, a, Administer, scope{}, func(tx Tx, _ Actor, _ Circulation) error {
		old, err := tx.Policy(ctx)
		if err != nil {
			return err
		}
		if !pre.Accepts(old.Version) {
			return ErrOutdated
		}
		p.Version = NewVersion()
		if old.TimeZone == p.TimeZone {
			return tx.SavePolicy(ctx, p)
		}
		// Waits for transactions that have begun to lend under the old zone.
		if err := tx.Lock(ctx, PolicyLock); err != nil {
			return err
		}
		if err := tx.SavePolicy(ctx, p); err != nil {
			return err
		}
		ends, err := tx.Ends(ctx)
		if err != nil {
			return err
		}
		return tx.MoveEnds(ctx, old.MoveEnds(p, ends))
	})
	return p, err
}

// MoveEnds keeps the day of each instant under another policy: it becomes the end of that day in the other's time
// zone. Those that stay where they are are left out.
func (p Policy) MoveEnds(other Policy, ends []time.Time) []EndMove {
	var moves []EndMove
	from, to := p.zone(), other.zone()
	for _, at := range ends {
		if end := calendar.DateOf(at.In(from)).End(to); !end.Equal(at) {
			moves = append(moves, EndMove{at, end})
		}
	}
	return moves
}
