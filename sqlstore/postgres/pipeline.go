package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// pipeline is a transaction on PostgreSQL with few round trips: each takes longer than most statements. BEGIN, and
// every statement whose result is not needed yet, is queued until something is to be read, and then sent together with
// it; the rest is sent together with COMMIT. So to lend a book takes two round trips: one to lock and load the
// circulation, one to save the decision.
//
// The server runs one round trip in order, each statement with a snapshot
// of its own, and nothing after a failed one, not even COMMIT.
type pipeline struct {
	engine *Engine
	// own is the context of the statements: see detached. Methods get the context
	// of the caller, and look at it between statements.
	own   context.Context
	conn  *sql.Conn // nil until there is something to send
	keys  []lockKey // which it has locked
	queue []queued

	isPooled bool  // the connection is that of a pooler
	failure  error // of the last statements, in the driver's words
	isEnding bool  // COMMIT is among what is sent
	isDone   bool  // the server has said that it has committed
	isLocal  bool  // but somebody has kept it from waiting for its standby
}

// maxTxConns leaves connections for reading.
const maxTxConns = maxConns * 3 / 4

var _ engine.Tx = (*pipeline)(nil)

// Dialect is the SQL of PostgreSQL.
func (p *pipeline) Dialect() *engine.Dialect { return dialect }

// runPipeline runs fn in a transaction of its own, once.
func (e *Engine) runPipeline(ctx, own context.Context, fn func(engine.Tx) error) error {
	p := &pipeline{engine: e, own: own}
	// After a commit this ends nothing. It ends the transaction when fn fails, or panics.
	defer p.end(ctx)
	return p.finish(ctx, fn(p))
}

// finish commits, unless something has failed.
func (p *pipeline) finish(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return Error(ctx, "commit transaction", err)
	}
	return p.commit(ctx)
}

// lockKeys waits for each of them.
func (p *pipeline) lockKeys(ctx context.Context, all ...lockKey) error {
	waiting, cancel := until(ctx, p.own)
	defer cancel()
	for _, k := range all {
		if err := p.engine.locks.lock(waiting, k); err != nil {
			return Error(ctx, "wait for others", err)
		}
		p.keys = append(p.keys, k)
	}
	return nil
}

// begin takes a connection and puts BEGIN in front of the queue.
func (p *pipeline) begin(ctx context.Context) error {
	if p.conn != nil {
		return nil
	}
	if err := p.lockKeys(ctx, lockKey{"transactions", maxTxConns}); err != nil {
		return err
	}
	explain := func(err error) error { return Error(ctx, "begin transaction", err) }
	waiting, cancel := until(ctx, p.own)
	defer cancel()
	if err := p.engine.standby.mayCommit(waiting); err != nil {
		return explain(err)
	}
	connection, err := p.engine.pool.connect(ctx, p.own)
	if err != nil {
		return explain(err)
	}
	p.conn = connection
	connection.Raw(func(c any) error { p.isPooled = c.(*conn).isPooled; return nil })
	first := []queued{{`BEGIN`, nil, explain}}
	if p.isPooled {
		first = append(first, queued{`SELECT ` + bounds + ` WHERE 0 = $1::bigint`, []any{0, true}, explain})
	}
	first = append(first, queued{`SELECT ` + publishes, nil, explain})
	if d := library.StoreTimeout(ctx); d > engine.UsualTimeout {
		first = append(first, queued{`SELECT set_config('idle_in_transaction_session_timeout', $1, true)`,
			[]any{strconv.FormatInt(d.Milliseconds(), 10)}, explain})
	}
	p.queue = append(first, p.queue...)
	return nil
}

// commit sends the queue, and COMMIT with it. If the answer is lost, the outcome
// is unknown, whichever statement was to be answered next.
func (p *pipeline) commit(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	p.add(`COMMIT`, nil, func(err error) error {
		p.isDone = err == nil
		return Error(ctx, "commit transaction", err)
	})
	p.isEnding = true
	own, cancel := p.untilCommitted()
	defer cancel()
	err := p.send(ctx, own, nil)
	switch {
	case p.isLocal:
		return engine.Wrap("commit transaction", library.ErrOutcomeUnknown, errLocal)
	case p.isDone: // whatever happened to the connection after that
		return nil
	case err != nil && !isRefusal(p.failure, p.isPooled):
		p.engine.standby.giveUp()
		return engine.Wrap("commit transaction", library.ErrOutcomeUnknown, err)
	}
	return err
}

// untilCommitted returns the context of COMMIT. Without the answer the outcome is unknown,
// so there is time for it: at least commitTimeout.
func (p *pipeline) untilCommitted() (context.Context, context.CancelFunc) {
	end, _ := p.own.Deadline()
	if least := time.Now().Add(commitTimeout); least.After(end) {
		end = least
	}
	return context.WithDeadline(context.WithoutCancel(p.own), end)
}

// end rolls the transaction back, if there still is one, and releases connection and
// locks. A connection with a failed ROLLBACK is closed.
func (p *pipeline) end(ctx context.Context) {
	defer func() {
		for _, k := range p.keys {
			p.engine.locks.unlock(k.name)
		}
	}()
	if p.conn == nil {
		return
	}
	defer p.conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	p.conn.Raw(func(c any) error {
		connection := c.(*conn).Conn.Conn()
		switch {
		case connection.IsClosed() || diagnose(p.failure).Kind == engine.ConnectionLost:
			return driver.ErrBadConn
		case connection.PgConn().TxStatus() == 'I':
			return nil
		}
		if _, err := connection.Exec(ctx, `ROLLBACK`); err != nil {
			return driver.ErrBadConn
		}
		return nil
	})
}
