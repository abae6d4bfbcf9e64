package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library/sqlstore/engine"
)

// EventsWaitFor is the transaction that keeps changes that have happened from being
// published.
func (e *Engine) EventsWaitFor(ctx context.Context) (engine.Waiting, error) {
	w, err := engine.ReadOne(ctx, e.pool, "look for what events wait for", scanWaiting, eventsWaitFor)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Waiting{}, nil
	}
	return w, err
}

// eventsWaitFor finds the oldest open transaction, if there are changes that are newer:
// it holds back their events. Of sessions of other roles the server may show the number
// alone.
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

func scanWaiting(r engine.Row) (engine.Waiting, error) {
	var w engine.Waiting
	var seconds float64
	err := r.Scan(&w.Transaction, &w.PID, &w.Database, &w.User, &w.Application, &w.State, &seconds)
	w.For = time.Duration(seconds * float64(time.Second))
	return w, err
}
