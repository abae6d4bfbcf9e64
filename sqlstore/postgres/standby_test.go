package postgres

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// TestATransactionWaitsForTheStandbyWithinItsTimeout begins one late, after a commit
// was given up, on a server that does not answer the question what has become of it.
func TestATransactionWaitsForTheStandbyWithinItsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &Engine{standby: new(standby)}
		e.standby.waits.ask = func(context.Context) (time.Duration, error) {
			time.Sleep(engine.UsualTimeout)
			return 0, context.DeadlineExceeded
		}
		e.standby.giveUp()
		began := time.Now()
		own, cancel := detached(t.Context())
		defer cancel()
		time.Sleep(engine.UsualTimeout - time.Millisecond) // as one does who waits for a book
		p := &pipeline{engine: e, own: own}
		if err := p.begin(t.Context()); !errors.Is(err, library.ErrUnavailable) {
			t.Errorf("the transaction: %v", err)
		}
		if took := time.Since(began); took > engine.UsualTimeout {
			t.Errorf("it was refused after %v; its timeout is %v", took, engine.UsualTimeout)
		}
		time.Sleep(engine.UsualTimeout) // the question ends
	})
}
