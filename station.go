package library

import (
	"context"
	"time"
)

// A station is a machine beside the shelves with a user record of its own. People borrow and give back
// at it with their cards. It is no reader, and may do nothing else: see Actor.Authorize.

// Limits of a station.
const (
	MaxUnknownCards = 5           // in UnknownCardTime; then no card is looked up
	UnknownCardTime = time.Minute // how long an unknown card counts
	MaxReadyTitles  = MaxOfPerson // titles set aside for one card
)

// StationTx limits the unknown cards of a station, inside a transaction that has loaded the station
// with Load.Alone.
type StationTx interface {
	// UnknownCards returns the times of the station's latest unknown cards, the newest first.
	UnknownCards(ctx context.Context, stationID string) ([]time.Time, error)
	// AddUnknownCard records an unknown card, and deletes those before an instant.
	AddUnknownCard(ctx context.Context, stationID string, at, before time.Time) error
}

// MayTryCard returns nil if a station may try a card now, or ErrTooManyTries. The times are
// those of its unknown cards, the newest first.
func MayTryCard(unknown []time.Time, now time.Time) error {
	var counted []time.Time
	for _, at := range unknown {
		// A time after now is of a process with another clock.
		if since := now.Sub(at); -UnknownCardTime < since && since < UnknownCardTime {
			counted = append(counted, at)
		}
	}
	if len(counted) < MaxUnknownCards {
		return nil
	}
	refused := *ErrTooManyTries
	refused.RetryAfter = min(counted[MaxUnknownCards-1].Add(UnknownCardTime).Sub(now), UnknownCardTime)
	return &refused
}

// MayBeStation returns nil if a user may become a station.
func (u User) MayBeStation(edited User, hasBooks func() (bool, error)) error {
	if u.Station || !edited.Station {
		return nil
	}
	has, err := hasBooks()
	if err == nil && has {
		return ErrUserHasBooks.with("The person has borrowed or reserved books; a station has none.")
	}
	return err
}
