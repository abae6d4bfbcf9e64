package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"
)

// Waiting is a transaction for whose end the events of the library wait: on
// PostgreSQL the oldest that has written something, anybody's in the cluster.
type Waiting struct {
	For time.Duration // how long it has been open; 0 if nothing waits

	// What the server tells of it, as far as the user of the library may know.
	Transaction int64
	PID         int // 0 for a prepared transaction
	Database    string
	User        string
	Application string
	State       string
}

// LogValue is how a log shows it.
func (w Waiting) LogValue() slog.Value {
	return slog.GroupValue(slog.Int64("transaction", w.Transaction), slog.Int("pid", w.PID),
		slog.String("database", w.Database), slog.String("user", w.User),
		slog.String("application", w.Application), slog.String("state", w.State))
}

// EventsWaitFor is what keeps changes that have happened from being told; nothing
// if they are told at once.
func (s *Store) EventsWaitFor(ctx context.Context) (Waiting, error) {
	if !s.read.isRemote {
		return Waiting{}, nil
	}
	w, err := readOne(ctx, s.read, "look for what events wait for", scanWaiting, eventsWaitFor)
	if errors.Is(err, sql.ErrNoRows) {
		return Waiting{}, nil
	}
	return w, err
}

// eventsWaitFor finds the transaction below which everything is settled, if there
// are changes above it. Of sessions of others the server may tell the number alone.
const eventsWaitFor = `
	SELECT t.xid::text::bigint, t.pid, coalesce(t.datname, ''), coalesce(t.usename, ''), coalesce(t.application_name, ''),
		coalesce(t.state, ''), coalesce(extract(epoch FROM clock_timestamp() - t.since), 0)::float8
	FROM (
		SELECT backend_xid AS xid, pid, datname, usename, application_name, state, xact_start AS since
		FROM pg_stat_activity WHERE backend_xid IS NOT NULL
		UNION ALL
		SELECT transaction, 0, database, owner, gid, 'prepared', prepared FROM pg_prepared_xacts
	) AS t
	WHERE EXISTS (SELECT 1 FROM changes WHERE NOT ` + settled + `)
	ORDER BY age(t.xid) DESC LIMIT 1`

func scanWaiting(r row) (Waiting, error) {
	var w Waiting
	var seconds float64
	err := r.Scan(&w.Transaction, &w.PID, &w.Database, &w.User, &w.Application, &w.State, &seconds)
	w.For = time.Duration(seconds * float64(time.Second))
	return w, err
}
