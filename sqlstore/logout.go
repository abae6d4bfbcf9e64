package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Logouts returns up to most logouts after a number, in order.
func (s *Store) Logouts(ctx context.Context, after int64, most int) ([]library.Logout, error) {
	return engine.Collect(ctx, s.db, "read logouts", func(r engine.Row) (library.Logout, error) {
		var l library.Logout
		var token, ends []byte
		var before sql.NullInt64
		var until int64
		err := r.Scan(&l.Seq, &token, &ends, &before, &until)
		copy(l.Token[:], token)
		copy(l.Ends[:], ends)
		l.Before, l.Until = engine.FromNullMicro(before), engine.FromMicro(until)
		return l, err
	}, `SELECT seq, token, ends, before_at, until_at FROM logouts WHERE seq > $1 ORDER BY seq LIMIT $2`, after, most)
}

// CountLogouts counts the logouts in force at an instant.
func (t *tx) CountLogouts(ctx context.Context, now time.Time) (int, error) {
	return engine.ReadOne(ctx, t.sql, "count logouts", engine.ScanNumber, `SELECT count(*) FROM logouts WHERE until_at > $1`, now.UnixMicro())
}

// AddLogout adds a logout.
func (t *tx) AddLogout(ctx context.Context, l library.Logout) error {
	before := sql.NullInt64{Int64: l.Before.UnixMicro(), Valid: !l.Before.IsZero()}
	result, err := t.sql.ExecContext(ctx, `INSERT INTO logouts (token, ends, before_at, until_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		l.Token[:], l.Ends[:], before, l.Until.UnixMicro())
	if err == nil {
		err = expectOne(result, library.ErrLogoutTaken)
	}
	return t.dialect.Error(ctx, "add logout", err)
}

// DeleteLogouts deletes logouts no longer in force.
func (t *tx) DeleteLogouts(ctx context.Context, now time.Time, most int) (int, error) {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM logouts WHERE seq IN (SELECT seq FROM logouts WHERE until_at <= $1 ORDER BY until_at LIMIT $2)`, now.UnixMicro(), most)
	if err != nil {
		return 0, t.dialect.Error(ctx, "delete logouts", err)
	}
	n, err := result.RowsAffected()
	return int(n), t.dialect.Error(ctx, "delete logouts", err)
}
