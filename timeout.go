package library

import (
	"context"
	"time"
)

// A store has a timeout of some seconds, so that no caller waits for a database that
// is broken. Work that takes longer sets another one. It is here
// because it is a part of what a [Store] promises.

type storeTimeoutKey struct{}

// WithStoreTimeout is a context in which each statement outside a transaction, and
// each transaction, of a store may take this long.
func WithStoreTimeout(ctx context.Context, each time.Duration) context.Context {
	return context.WithValue(ctx, storeTimeoutKey{}, each)
}

// StoreTimeout is the timeout that WithStoreTimeout has set, 0 if none is set.
func StoreTimeout(ctx context.Context) time.Duration {
	each, _ := ctx.Value(storeTimeoutKey{}).(time.Duration)
	return each
}
