package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// spaceProbe makes a table of some pages and drops it. Nobody else ever sees it.
const spaceProbe = `CREATE TEMPORARY TABLE room ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 100)`

// hasFreeSpace finds out whether the disk of the server has space for changes. The
// pages of our tables may have some left inside, so that a small write would succeed on
// a full disk. What else is wrong is found by a write to the tables.
func (e *Engine) hasFreeSpace(ctx context.Context) error {
	own, cancel := detached(ctx)
	defer cancel()
	_, err := e.pool.ExecContext(own, spaceProbe)
	var refused *pgconn.PgError
	isRefused := errors.As(err, &refused)
	if err == nil || isRefused && refused.Code != "53100" {
		return nil
	}
	if !isRefused {
		e.standby.giveUp() // it is a commit, too
	}
	return Error(ctx, "try to write", err)
}
