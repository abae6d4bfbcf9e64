package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library"
)

// TryLock takes a lock of SQLite on a file beside the database: one on the database itself would keep others from
// writing. The operating system gives it up when the program dies. It returns nil if somebody else has it.
func (e *Engine) TryLock(ctx context.Context, l library.Lock) (release func(), err error) {
	path := fmt.Sprintf("%s-lock%d", e.path, l)
	if _, _, err := findFile(path); err != nil {
		return nil, err
	}
	// Without the usual pragmas: some of them read the file, and would wait for the lock.
	db := OpenPlain("file:" + uriName(path) + "?_error_rc=1&_pragma=busy_timeout(0)")
	conn, err := lockFile(ctx, db)
	if err != nil {
		err = fmt.Errorf("the lock file %s: %w", filepath.Base(path), err)
	}
	if conn == nil || err != nil {
		db.Close()
		return nil, err
	}
	return func() {
		conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		conn.Close()
		db.Close()
	}, nil
}

// lockFile does not wait.
func lockFile(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err = conn.ExecContext(ctx, `BEGIN EXCLUSIVE`); err != nil {
		conn.Close()
		if Code(err) == sqlite3.SQLITE_BUSY {
			err = nil
		}
		return nil, err
	}
	return conn, nil
}
