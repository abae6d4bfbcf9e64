package engine

import (
	"context"
	"time"

	"example.org/library"
)

// How long something may take on a database that may be broken in any way: locked,
// frozen, cut off, or gone. A caller gets an answer after about three seconds.
const (
	// UsualTimeout is for a statement or a transaction, with everything that it waits
	// for and all attempts. Work that may take longer says so: see
	// [library.WithStoreTimeout].
	UsualTimeout = 3 * time.Second
	// ReadyTimeout is for the question whether the database can be used now.
	ReadyTimeout = 2 * time.Second
)

// Timeout is how long the work of a context may take.
func Timeout(ctx context.Context) time.Duration {
	if d := library.StoreTimeout(ctx); d > 0 {
		return d
	}
	return UsualTimeout
}
