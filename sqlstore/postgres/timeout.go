package postgres

import (
	"context"
	"time"

	"example.org/library/sqlstore/engine"
)

// How long things may take on a server that may be broken in any way: locked, frozen,
// cut off, or gone. See also [engine.UsualTimeout].
const (
	// afterHangUp is how long a statement goes on whose caller has gone. To cancel it
	// costs its connection, and most end sooner than a new one is made.
	afterHangUp = time.Second
	// commitTimeout is how long a transaction waits for the answer to its COMMIT,
	// at least: without the answer the outcome is unknown. It is more
	// than the lock_timeout of a session, so that a lock is the server's to refuse.
	commitTimeout = 1500 * time.Millisecond
	// openTimeout is for the first connection to a server that does not answer.
	openTimeout = 10 * time.Second
	// connectTimeout is for a new connection, pingTimeout for one that has been
	// idle, rollbackTimeout for the end of a transaction that is given up.
	connectTimeout  = 2 * time.Second
	pingTimeout     = time.Second
	rollbackTimeout = time.Second
)

// detached is the context under which the statements of a caller run. It ends with
// the caller's timeout, and some time after the caller has gone.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), engine.Timeout(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(afterHangUp):
			cancel()
		case <-own.Done():
		}
	})
	return own, func() { stop(); cancel() }
}

// until is a caller's context that ends with the timeout of own, too. It is for
// waiting: a caller who has gone waits for nothing.
func until(ctx, own context.Context) (context.Context, context.CancelFunc) {
	end, _ := own.Deadline()
	return context.WithDeadline(context.WithValue(ctx, endKey{}, end), end)
}

type endKey struct{}

// uncancelled goes on when the caller of until has gone, but not past the end of
// its timeout.
func uncancelled(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	end := time.Now().Add(most)
	if own, ok := ctx.Value(endKey{}).(time.Time); ok && own.Before(end) {
		end = own
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}
