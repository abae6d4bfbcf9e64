package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"strconv"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// The numbers of advisory locks. A [library.Lock] has firstLock and its own. Triggers trim under 7236836 for the edits
// of the catalogue and 7236838 for the changes.
const (
	migrationLock = 7236837
	firstLock     = 7236838
)

// lock takes an advisory lock. The server gives it up when the connection ends. It returns nil if somebody else has it.
// The lock belongs to a transaction of its own: behind a pooler a session is nobody's own. Such a transaction has no
// number and no snapshot, so nothing waits for it. The server ends it when the program was paused for longer than its
// work takes.
func (e *Engine) lock(ctx context.Context, number int) (release func(), err error) {
	own, cancel := detached(ctx)
	defer cancel()
	conn, err := e.pool.connect(ctx, own)
	if err != nil {
		return nil, err
	}
	end := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		if _, err := conn.ExecContext(ctx, `ROLLBACK`); err != nil {
			conn.Raw(func(any) error { return driver.ErrBadConn }) // with the connection, the lock goes
		}
		conn.Close()
	}
	got := false
	_, err = conn.ExecContext(own, `BEGIN`)
	if err == nil {
		err = conn.QueryRowContext(own, `SELECT pg_try_advisory_xact_lock($1)`, number).Scan(&got)
	}
	if err == nil && got {
		// This comes last: the server keeps the snapshot of a SELECT until the next statement.
		_, err = conn.ExecContext(own, `SET LOCAL idle_in_transaction_session_timeout = '10min'`)
	}
	if err != nil || !got {
		end()
		return nil, err
	}
	return end, nil
}

// TryLock takes a lock, unless another program has it.
func (e *Engine) TryLock(ctx context.Context, l library.Lock) (release func(), err error) {
	return e.lock(ctx, firstLock+int(l))
}

// Lock lets one transaction at a time go on from here. The lock goes with the next statements.
func (p *pipeline) Lock(ctx context.Context, l library.Lock) error {
	if err := p.waitForKeys(ctx, lockKey{"lock " + strconv.Itoa(int(l)), 1}); err != nil {
		return err
	}
	if l == library.PolicyLock {
		// Each loan and each hold begins with a lock on its book, and reads the policy afterwards.
		p.add(`LOCK TABLE books IN EXCLUSIVE MODE`, nil, func(err error) error { return Error(ctx, "wait for those who lend", err) })
		return nil
	}
	p.add(advisoryLock, []any{int(l)}, func(err error) error { return Error(ctx, "wait for a lock", err) })
	return nil
}

const advisoryLock = `SELECT pg_advisory_xact_lock(7236838 + $1::int)`

// WaitInLine waits for the keys of a book and of people.
func (p *pipeline) WaitInLine(ctx context.Context, l library.Load) error {
	return p.waitForKeys(ctx, keysFor(l)...)
}

// waitForKeys waits for keys, unless the transaction has a connection already: then it may
// be waited for in the database, and goes there.
func (p *pipeline) waitForKeys(ctx context.Context, keys ...lockKey) error {
	if p.conn != nil {
		return nil
	}
	return p.lockKeys(ctx, keys...)
}

// claimKey fails with a division by zero if the lock with number $1 is taken, or if there is a younger answer than $3
// under the key $2. It keeps the lock until the end of the transaction.
const claimKey = `SELECT 1 / (CASE WHEN pg_try_advisory_xact_lock($1) AND NOT EXISTS (
			SELECT 1 FROM idempotency_keys WHERE key = $2 AND created_at > $3) THEN 1 ELSE 0 END)`

// ClaimKey goes with the next statements.
func (p *pipeline) ClaimKey(ctx context.Context, key library.Digest, after int64) error {
	lock := int64(binary.BigEndian.Uint64(key[:]))
	p.add(claimKey, []any{lock, key[:], after}, func(err error) error {
		if diagnose(err).Constraint == engine.NothingChanged {
			return library.ErrKeyInUse
		}
		return Error(ctx, "claim key", err)
	})
	return nil
}
