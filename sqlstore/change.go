package sqlstore

import (
	"context"

	"example.org/library"
)

// The history of changes on SQLite: what is committed is complete, and in the
// order of its numbers.
const (
	lastChangeSQLite  = `SELECT 0, seq, mark FROM changes ORDER BY seq DESC LIMIT 1`
	changesFromSQLite = `SELECT 0, seq, mark, kind, subject, borrowed FROM changes
		WHERE $1 = 0 AND seq >= $2 ORDER BY seq LIMIT $3`
)

// The history of changes on PostgreSQL: what is below the oldest transaction
// that is still running is complete. See the migration.
const (
	settled            = `major < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	lastChangePostgres = `SELECT major, seq, mark FROM changes
		WHERE ` + settled + ` ORDER BY major DESC, seq DESC LIMIT 1`
	changesFromPostgres = `SELECT major, seq, mark, kind, subject, borrowed FROM changes
		WHERE (major, seq) >= ($1, $2) AND ` + settled + ` ORDER BY major, seq LIMIT $3`

	// A history that came with a dump from another cluster has the numbers of
	// that cluster's transactions. Those that this one has not reached yet would
	// come up as news some day.
	dropForeignChanges = `DELETE FROM changes WHERE major >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
)

// LastChange is the position of the newest change.
func (s *Store) LastChange(ctx context.Context) (library.Position, error) {
	var p library.Position
	err := s.read.QueryRowContext(ctx, s.dialect.lastChange).Scan(&p.TxID, &p.Seq, &p.Nonce)
	return p, fault(ctx, "read last change", err)
}

// Changes returns what is right behind a position. It is asked several times a
// second; where the revision costs less than a statement, nothing else is asked
// while nothing has happened.
func (s *Store) Changes(ctx context.Context, after library.Position, limit int) ([]library.Change, error) {
	if s.revisions == nil {
		return s.changes(ctx, after, limit)
	}
	at, err := s.revisions.current(ctx)
	if err != nil {
		return nil, err
	}
	key := after.String()
	if _, quiet := s.quiet.Get(at, key); quiet {
		return nil, nil
	}
	changes, err := s.changes(ctx, after, limit)
	if err == nil && len(changes) == 0 {
		s.quiet.Put(at, key, struct{}{}, 1)
	}
	return changes, err
}

// changes reads from the change at the position itself, which proves that all
// that came behind it is still there.
func (s *Store) changes(ctx context.Context, after library.Position, limit int) ([]library.Change, error) {
	rows, err := s.read.QueryContext(ctx, s.dialect.changesFrom, after.TxID, after.Seq, limit+1)
	if err != nil {
		return nil, fault(ctx, "read changes", err)
	}
	defer rows.Close()
	var changes []library.Change
	for found := false; rows.Next(); found = true {
		var c library.Change
		p := &c.Position
		if err := rows.Scan(&p.TxID, &p.Seq, &p.Nonce, &c.Kind, &c.ID, &c.Borrowed); err != nil {
			return nil, fault(ctx, "read changes", err)
		}
		if !found && *p != after {
			return nil, library.ErrPositionLost
		}
		changes = append(changes, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fault(ctx, "read changes", err)
	}
	if len(changes) == 0 {
		return nil, library.ErrPositionLost
	}
	return changes[1:], nil
}
