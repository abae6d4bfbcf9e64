package sqlstore

import (
	"context"
	"database/sql/driver"

	"example.org/library"
)

// The numbers of advisory locks. That of a [library.Lock] is firstLock and its own.
// Triggers that trim use 7236836 for the edits of the catalogue and 7236838 for the
// changes.
const (
	migrationLock = 7236837
	firstLock     = 7236838
)

// lockPostgres takes an advisory lock, which the server gives up when the
// connection ends. It returns nil if somebody else has it. The lock is that of a
// transaction that does nothing else: behind a pooler a session is nobody's own.
// Such a transaction has no number and no snapshot, so nothing waits for it. The
// server ends it when the program was paused for longer than its work takes.
func (s *Store) lockPostgres(ctx context.Context, number int) (release func(), err error) {
	own, cancel := unhurried(ctx)
	defer cancel()
	conn, err := s.write.connect(ctx, own)
	if err != nil {
		return nil, err
	}
	end := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackPatience)
		defer cancel()
		if _, err := conn.ExecContext(ctx, `ROLLBACK`); err != nil {
			conn.Raw(func(any) error { return driver.ErrBadConn }) // with the connection, the lock goes
		}
		conn.Close()
	}
	got := false
	for _, text := range []string{`BEGIN`, `SET LOCAL idle_in_transaction_session_timeout = '10min'`} {
		if _, err := conn.ExecContext(own, text); err != nil {
			end()
			return nil, err
		}
	}
	err = conn.QueryRowContext(own, `SELECT pg_try_advisory_xact_lock($1)`, number).Scan(&got)
	if err != nil || !got {
		end()
		return nil, err
	}
	return end, nil
}

func (s *Store) tryLockPostgres(ctx context.Context, l library.Lock) (release func(), err error) {
	return s.lockPostgres(ctx, firstLock+int(l))
}
