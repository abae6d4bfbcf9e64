package library

import (
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
