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
	const patience = 20
	deadline := time.Now().Add(lockPatience)
	for try := 1; ; try++ {
		applied, err := s.migrate(ctx)
		if err == nil || errors.Is(err, ErrNewerSchema) || try == patience || isHopeless(err) || time.Now().After(deadline) {
			return applied, err
		}
		select {
		case <-time.After(time.Duration(try) * 10 * time.Millisecond):
		case <-ctx.Done():
			return nil, dbError(ctx, "migrate", err)
		}
		if pending, err := s.Pending(ctx); err == nil && len(pending) == 0 {
			return nil, nil
		}
	}
}

// isHopeless reports whether nothing is gained by trying again soon.
func isHopeless(err error) bool {
	return unavailable(err) != "" && sqliteCode(err) != sqlite3.SQLITE_BUSY
}
