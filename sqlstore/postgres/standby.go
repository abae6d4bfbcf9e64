package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// standby knows whether PostgreSQL confirms commits. One with a synchronous standby waits for it, for ever if need be.
// Each abandoned commit leaves a waiting server process (see cancelGuard), so no transaction is begun beside one.
type standby struct {
	waits            coalescing[time.Duration] // how long the oldest has been waiting
	givenUp, cleared atomic.Int64              // commits; and as many as were looked into
}

// unconfirmed is how long a commit waits at least before others are refused: shorter than
// the timeout of a commit and than the timeout of its locks.
const unconfirmed = 500 * time.Millisecond

var errUnconfirmed = errors.New("PostgreSQL does not confirm what is committed: it waits for a synchronous standby; " +
	"start the standby again, or lead the connections to the server that has taken over")

// errLocal means: an administrator has cancelled the wait for the standby.
var errLocal = errors.New("PostgreSQL has committed without its synchronous standby; after a failover the change may be gone")

// longestWait looks at the sessions of its own role.
const longestWait = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0)::float8 FROM pg_stat_activity
	WHERE datname = current_database() AND wait_event = 'SyncRep'`

func newStandby(p *pool) *standby {
	s := new(standby)
	s.waits.ask = func(ctx context.Context) (time.Duration, error) {
		seconds, err := engine.ReadOne(ctx, p, "look for commits that wait", func(r engine.Row) (seconds float64, err error) {
			err = r.Scan(&seconds)
			return seconds, err
		}, longestWait)
		return time.Duration(seconds * float64(time.Second)), err
	}
	return s
}

// giveUp notes an unknown outcome of a commit.
func (s *standby) giveUp() { s.givenUp.Add(1) }

// mayCommit is called before a transaction. As long as no commit was given up it sends no query.
func (s *standby) mayCommit(ctx context.Context) error {
	if s.givenUp.Load() == s.cleared.Load() {
		return nil
	}
	return s.look(ctx, unconfirmed)
}

// ready also asks the server where this process has not written for long: another process
// may have. With isDoubtful the caller is about to write, so the shorter limit applies.
func (s *standby) ready(ctx context.Context, isDoubtful bool) error {
	if isDoubtful {
		return s.look(ctx, unconfirmed)
	}
	return s.look(ctx, engine.UsualTimeout)
}

func (s *standby) look(ctx context.Context, least time.Duration) error {
	givenUp := s.givenUp.Load()
	longest, err := s.waits.do(ctx)
	switch {
	case err != nil:
		return err
	case longest >= least:
		return engine.Wrap("commit", library.ErrUnavailable, errUnconfirmed)
	}
	s.cleared.Store(givenUp)
	return nil
}
