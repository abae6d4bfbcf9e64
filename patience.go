package library

import (
	"context"
	"time"
)

// A store gives up after some seconds, so that nobody waits for a database that
// is broken. Work that takes longer by its nature, and that nobody watches, says
// how long each of its steps may take.

type patienceKey struct{}

// WithPatience is a context whose statements and transactions may each take so
// long.
func WithPatience(ctx context.Context, each time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, each)
}

// Patience is what WithPatience has said, 0 if nothing.
func Patience(ctx context.Context) time.Duration {
	each, _ := ctx.Value(patienceKey{}).(time.Duration)
	return each
}
