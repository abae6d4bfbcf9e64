package library

import (
	"context"
	"errors"
	"time"
)

// MaxLogouts is the highest number of sessions ended at a time. More are refused, never forgotten.
const MaxLogouts = 100_000

// Logout is a session ended by the identity provider, or all sessions of a subject. The store keeps it
// until no token of the session can be good any more. Its digests mean nothing to the library.
type Logout struct {
	Seq    int64     // the order in which the logouts became visible
	Token  Digest    // of the logout token, which is taken once
	Ends   Digest    // of the session or the subject
	Before time.Time // only tokens issued up to then; zero for all
	Until  time.Time
}

// LogoutStore reads ended sessions.
type LogoutStore interface {
	// Logouts returns up to most logouts after a number, in order.
	Logouts(ctx context.Context, after int64, most int) ([]Logout, error)
}

// LogoutTx writes ended sessions inside a transaction.
type LogoutTx interface {
	// CountLogouts counts the logouts in force at an instant.
	CountLogouts(ctx context.Context, now time.Time) (int, error)
	// AddLogout adds a logout (ErrLogoutTaken). The transaction has the LogoutLock.
	AddLogout(ctx context.Context, l Logout) error
	// DeleteLogouts deletes up to most logouts no longer in force, and returns their number.
	DeleteLogouts(ctx context.Context, now time.Time, most int) (int, error)
}

// Refusals of a logout.
var (
	ErrLogoutTaken    = errors.New("library: the logout token was taken before")
	ErrTooManyLogouts = errors.New("library: too many sessions have ended")
)
