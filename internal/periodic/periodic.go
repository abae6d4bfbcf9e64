// Package periodic runs a function at an interval in the background, until it is
// stopped. There is one function, [Start].
package periodic

import (
	"context"
	"time"
)

// Start does something at once, and again at every interval. If it takes longer than
// that, it is not done twice at the same time. stop ends its context and waits for it.
func Start(every time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx, every, do)
	}()
	return func() {
		cancel()
		<-done
	}
}

func run(ctx context.Context, every time.Duration, do func(context.Context)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		do(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
