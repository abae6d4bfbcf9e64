package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

var errInterrupted = errors.New("interrupted")

// Interrupts is how a person stops the program. While another program has the
// terminal, Ctrl-C is meant for that one, although both hear of it.
type Interrupts struct{ lent atomic.Bool }

// Watch returns a context that ends when somebody wants the program to stop.
func (i *Interrupts) Watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer cancel()
		defer signal.Stop(signals) // who asks a second time does not want to wait
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt || !i.lent.Load() {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, cancel
}

// late is how long a signal may be on its way when what it has ended is over.
const late = 100 * time.Millisecond

// lend leaves Ctrl-C to another program until it is given back.
func (i *Interrupts) lend() (giveBack func()) {
	if i == nil {
		return func() {}
	}
	i.lent.Store(true)
	return func() { time.AfterFunc(late, func() { i.lent.Store(false) }) }
}
