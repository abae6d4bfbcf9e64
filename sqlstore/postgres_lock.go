package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"example.org/library"
)

// tryLockPostgres takes an advisory lock of a session, which the server gives up
// when the connection ends. It returns nil if somebody else has it.
func tryLockPostgres(ctx context.Context, db *sql.DB, l library.Lock) (release func(), err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var got bool
	err = conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock(7236838 + $1::int)`, int(l)).Scan(&got)
	if err != nil || !got {
		conn.Close()
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackPatience)
		defer cancel()
		_, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock(7236838 + $1::int)`, int(l))
		if err != nil {
			conn.Raw(func(any) error { return driver.ErrBadConn }) // with the connection, the lock goes
		}
		conn.Close()
	}, nil
}
