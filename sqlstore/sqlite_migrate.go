package sqlstore

import (
	"context"
	"errors"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library"
)

// migrateSQLite migrates without a lock. Each migration is one transaction
// that fails when another program has just done the same; then it is enough
// that the schema moves forward, whoever moves it.
func (s *Store) migrateSQLite(ctx context.Context) ([]string, error) {
	began := time.Now()
	for try := 1; ; try++ {
		tried, before := time.Now(), s.commits(ctx)
		applied, err := s.migrate(ctx)
		if err == nil || errors.Is(err, ErrNewerSchema) || errors.Is(err, ErrUnreleasedSchema) || isHopeless(err) || time.Since(began) > migrationPatience {
			return applied, err
		}
		if isHeld(err) && time.Since(tried) > longHeld && s.commits(ctx) == before {
			return nil, wrap("migrate: the database file is locked by another program, which may be bringing the schema up to date",
				library.ErrUnavailable, err)
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

// commits is a number that changes when another program commits something, as the one
// connection that writes sees it; 0 if nobody can read.
func (s *Store) commits(ctx context.Context) (n int) {
	s.write.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&n)
	return n
}

const (
	// migrationPatience is for programs that migrate at the same time and get in each
	// other's way.
	migrationPatience = 20 * time.Second
	// longHeld is a little less than SQLite waits for a lock. If nothing was committed in
	// that time, one program has it all the time, and how long that is waited for is not
	// decided here: see IsAbsent.
	longHeld = 2 * time.Second
)

// isHopeless reports whether nothing is gained by trying again soon.
func isHopeless(err error) bool { return unavailable(err) != "" && !isHeld(err) }

// isHeld reports whether another program has locked the file.
func isHeld(err error) bool { return sqliteCode(err) == sqlite3.SQLITE_BUSY }
