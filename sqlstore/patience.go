package sqlstore

import (
	"context"
	"time"

	"example.org/library"
)

// How long things may take on a database that may be broken in any way: locked,
// frozen, cut off, or gone. A caller hears of it after about three seconds.
const (
	// usualPatience is for a statement or a transaction, with all that it waits
	// for and every time that it is run again. Work that may take longer says so:
	// see [library.WithStoreTimeout].
	usualPatience = 3 * time.Second
	// readyPatience is for the question whether the database can be used now.
	readyPatience = 2 * time.Second
	// lateness is how long a statement goes on whose caller has gone. To give it
	// up costs its connection, and most end sooner than a new one is made.
	lateness = time.Second
	// commitPatience is how long a transaction waits for the answer to its COMMIT,
	// at least: without the answer nobody knows what has happened. It is more
	// than lockPatiencePostgres, so that a lock is the server's to refuse.
	commitPatience = 1500 * time.Millisecond
	// openPatience is for the first connection to a server that does not answer.
	openPatience = 10 * time.Second
	// connectPatience is for a new connection, pingPatience for one that has been
	// idle, rollbackPatience for the end of a transaction that is given up.
	connectPatience  = 2 * time.Second
	pingPatience     = time.Second
	rollbackPatience = time.Second
)

// patience is how long the work of a context may take.
func patience(ctx context.Context) time.Duration {
	if d := library.StoreTimeout(ctx); d > 0 {
		return d
	}
	return usualPatience
}

// unhurried is the context under which the statements of a caller run. It ends
// when the caller's patience does, and some time after the caller has gone.
func unhurried(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(lateness):
			cancel()
		case <-own.Done():
		}
	})
	return own, func() { stop(); cancel() }
}

// until is a caller's context that ends with the patience of own, too. It is for
// waiting: a caller who has gone waits for nothing.
func until(ctx, own context.Context) (context.Context, context.CancelFunc) {
	end, _ := own.Deadline()
	return context.WithDeadline(context.WithValue(ctx, endKey{}, end), end)
}

type endKey struct{}

// uncancelled goes on when the caller of until has gone, but not past the end of
// its patience.
func uncancelled(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	end := time.Now().Add(most)
	if own, ok := ctx.Value(endKey{}).(time.Time); ok && own.Before(end) {
		end = own
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}
