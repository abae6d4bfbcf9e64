package sqlstore

import (
	"context"
	"errors"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// migrateSQLite migrates without a lock. Each migration is one transaction
// that fails when another program has just done the same; then it is enough
// that the schema moves forward, whoever moves it.
func (s *Store) migrateSQLite(ctx context.Context) ([]string, error) {
	deadline := time.Now().Add(migrationPatience)
	for try := 1; ; try++ {
		applied, err := s.migrate(ctx)
		if err == nil || errors.Is(err, ErrNewerSchema) || isHopeless(err) || time.Now().After(deadline) {
			return applied, err
		}
		select {
		case <-time.After(min(time.Duration(try)*10*time.Millisecond, time.Second)):
		case <-ctx.Done():
			return nil, dbError(ctx, "migrate", err)
		}
		if pending, err := s.Pending(ctx); err == nil && len(pending) == 0 {
			return nil, nil
		}
	}
}

// migrationPatience is how long the start of a program waits for another one that
// is migrating: longer than for a lock, because there may be much to migrate.
const migrationPatience = 20 * time.Second

// isHopeless reports whether nothing is gained by trying again soon.
func isHopeless(err error) bool {
	return unavailable(err) != "" && sqliteCode(err) != sqlite3.SQLITE_BUSY
}
