package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Why a command did not come to its end. Shells add the number of the signal to 128.
var (
	errInterrupted = &Failure{code: ExitInterrupted, err: errors.New("interrupted")}
	errTerminated  = &Failure{code: exitTerminated, err: errors.New("terminated")}
)

// Interrupted is the error of a command that somebody has stopped by ending its
// context. What it says besides may be "".
func Interrupted(ctx context.Context, text string) error {
	stopped := errInterrupted
	errors.As(context.Cause(ctx), &stopped)
	if text == "" {
		return stopped
	}
	return Fail(stopped.code, "%w; %s", stopped, text)
}

// Interrupts is how a person stops the program. While another program has the
// terminal, Ctrl-C is meant for that one, although both get the signal.
type Interrupts struct {
	lent  atomic.Bool
	hurry atomic.Pointer[chan struct{}]
}

// Watch returns a context that ends when a signal asks the program to stop.
func (i *Interrupts) Watch(ctx context.Context) (context.Context, context.CancelFunc) {
	watch, end := context.WithCancel(ctx)
	ctx, stop := context.WithCancelCause(watch)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals) // a second signal ends the program at once
		i.listen(watch, signals, stop)
	}()
	return ctx, end
}

// listen calls stop at the first signal. It returns when the next one is to end
// the program as it is.
func (i *Interrupts) listen(ctx context.Context, signals <-chan os.Signal, stop func(error)) {
	defer func() { stop(nil) }()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			hurry, reason := i.hurry.Load(), errTerminated
			if s == os.Interrupt {
				reason = errInterrupted
			}
			switch {
			case s == os.Interrupt && i.lent.Load():
				continue
			case hurry == nil:
				stop(reason)
				return
			case s != os.Interrupt:
				stop(reason)
				select {
				case <-ctx.Done():
					return
				case <-signals:
				}
			}
			close(*hurry)
			return
		}
	}
}

// Hurry is for a command that takes its time when it has to terminate. The
// channel is closed when the person who stops it does not want to wait for that: at
// Ctrl-C, and at a second signal.
func (i *Interrupts) Hurry() <-chan struct{} {
	hurry := make(chan struct{})
	if i == nil { // nobody could say so
		close(hurry)
	} else {
		i.hurry.Store(&hurry)
	}
	return hurry
}

// late is how long a signal may be on its way when what it has ended is over.
const late = 100 * time.Millisecond

// Lend leaves Ctrl-C to another program until it is given back.
func (i *Interrupts) Lend() (giveBack func()) {
	if i == nil {
		return func() {}
	}
	i.lent.Store(true)
	return func() { time.AfterFunc(late, func() { i.lent.Store(false) }) }
}
