package sqlite

import (
	"context"
	"errors"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Migrate migrates without a lock. Each migration is one transaction that fails when another program has just done the
// same; then it is enough that the schema moves forward.
func (e *Engine) Migrate(ctx context.Context, up, pending func(context.Context) ([]string, error)) ([]string, error) {
	began := time.Now()
	for try := 1; ; try++ {
		tried, before := time.Now(), e.commits(ctx)
		applied, err := up(ctx)
		if err == nil || errors.Is(err, engine.ErrNewerSchema) || errors.Is(err, engine.ErrUnreleasedSchema) || isHopeless(err) || time.Since(began) > migrationTimeout {
			return applied, err
		}
		if IsHeld(err) && time.Since(tried) > longHeld && e.commits(ctx) == before {
			return nil, engine.Wrap("migrate: the database file is locked by another program, which may be bringing the schema up to date",
				library.ErrUnavailable, err)
		}
		select {
		case <-time.After(min(time.Duration(try)*10*time.Millisecond, time.Second)):
		case <-ctx.Done():
			return nil, Error(ctx, "migrate", err)
		}
		if left, err := pending(ctx); err == nil && len(left) == 0 {
			return nil, nil
		}
	}
}

// commits returns a number, another one after each commit of another program, as the
// writing connection sees it; 0 if nobody can read.
func (e *Engine) commits(ctx context.Context) (n int) {
	e.write.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&n)
	return n
}

const (
	// migrationTimeout is for programs that migrate at the same time and get in each other's way.
	migrationTimeout = 20 * time.Second
	// longHeld is a little less than SQLite waits for a lock. If nothing was committed in that time, one program has it
	// all the time, and how long that is waited for is not decided here: see IsAbsent.
	longHeld = 2 * time.Second
)

// isHopeless reports whether nothing is gained by trying again soon.
func isHopeless(err error) bool { return unavailable(err) != "" && !IsHeld(err) }

// IsHeld reports whether another program has locked the file.
func IsHeld(err error) bool { return Code(err) == sqlite3.SQLITE_BUSY }
