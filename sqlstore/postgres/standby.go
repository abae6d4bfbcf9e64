package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// standby knows whether PostgreSQL confirms what is committed. One with a synchronous
// standby waits for it, for ever if need be. Each commit that is given up leaves a server
// process that waits (see cancelGuard), so no transaction is begun while there are such.
type standby struct {
	waits            engine.Coalescing[struct{}, time.Duration] // how long the oldest has been waiting
	givenUp, cleared atomic.Int64                               // commits; and as many as were looked into
}

// unconfirmed is how long a commit waits at least before others are refused: shorter than
// the timeout of a commit and than the timeout of a lock that it holds.
const unconfirmed = 500 * time.Millisecond

var errUnconfirmed = errors.New("PostgreSQL does not confirm what is committed: it waits for a synchronous standby; " +
	"start the standby again, or lead the connections to the server that has taken over")

// errLocal means that an administrator has cancelled what waited for the standby.
var errLocal = errors.New("PostgreSQL has committed without its synchronous standby; after a failover the change may be gone")

// longestWait looks at the sessions that this one may see: those of its role.
const longestWait = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0)::float8 FROM pg_stat_activity
	WHERE datname = current_database() AND wait_event = 'SyncRep'`

func newStandby(p *pool) *standby {
	s := new(standby)
	s.waits.Ask = func(ctx context.Context, _ []struct{}) (time.Duration, error) {
		seconds, err := engine.ReadOne(ctx, p, "look for commits that wait", func(r engine.Row) (seconds float64, err error) {
			err = r.Scan(&seconds)
			return seconds, err
		}, longestWait)
		return time.Duration(seconds * float64(time.Second)), err
	}
	return s
}

// giveUp notes a commit whose outcome is unknown.
func (s *standby) giveUp() { s.givenUp.Add(1) }

// mayCommit is called before a transaction. As long as no commit was given up it sends no
// query.
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
	longest, _, err := s.waits.Do(ctx)
	switch {
	case err != nil:
		return err
	case longest >= least:
		return engine.Wrap("commit", library.ErrUnavailable, errUnconfirmed)
	}
	s.cleared.Store(givenUp)
	return nil
}
