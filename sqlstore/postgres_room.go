package sqlstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// roomProbe makes a table of some pages and drops it. Nobody else ever sees it.
const roomProbe = `CREATE TEMPORARY TABLE room ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 100)`

// hasRoomPostgres finds out whether the disk of the server has room for changes.
// The pages of our tables may have some left inside, so that a small write tells
// nothing. What else is wrong, a write to them will tell.
func (s *Store) hasRoomPostgres(ctx context.Context) error {
	own, cancel := unhurried(ctx)
	defer cancel()
	_, err := s.write.ExecContext(own, roomProbe)
	var refused *pgconn.PgError
	isRefused := errors.As(err, &refused)
	if err == nil || isRefused && refused.Code != "53100" {
		return nil
	}
	if !isRefused {
		s.standby.giveUp() // it is a commit, too
	}
	return dbError(ctx, "try to write", err)
}
