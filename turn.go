package library

import "context"

// turn lets one in at a time. Those who wait hold nothing: no connection, and
// no place in the queue of the database's writers.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) enter(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) leave() { <-t }
