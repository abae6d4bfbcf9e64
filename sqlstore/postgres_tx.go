package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library"
)

// pipeline is a transaction on PostgreSQL that saves round trips, each of which
// takes longer than most statements. BEGIN, and whatever else nobody waits for,
// is kept until something is to be read, and then sent together with it; what
// is left is sent together with COMMIT. So to lend a book takes two round trips:
// one to lock and load all that decides, one to save what was decided.
//
// The server runs what is sent together in order, each statement with a snapshot
// of its own, and nothing after one that failed: COMMIT neither.
type pipeline struct {
	store *Store
	// own is the context of the statements: see unhurried. Methods are given that
	// of the caller, which they look at between statements.
	own   context.Context
	began time.Time
	conn  *sql.Conn // nil until there is something to send
	turns []turn    // which it has taken
	queue []queued
	// member is set when a group sends what waits: see groups.
	member *member

	isPooled bool  // the connection is that of a pooler
	failure  error // of the last statements, in the driver's words
	isEnding bool  // COMMIT is among what is sent
	isDone   bool  // the server has said that it has committed
	isLocal  bool  // but somebody has kept it from waiting for its standby
}

// queued is a statement that waits.
type queued struct {
	text    string
	args    []any
	explain func(error) error
}

// maxTxConns leaves connections for those who only read.
const maxTxConns = maxPostgresConns * 3 / 4

// runPipeline runs fn in a transaction of its own, once.
func (s *Store) runPipeline(ctx, own context.Context, fn func(library.Tx) error) error {
	p := &pipeline{store: s, own: own, began: time.Now()}
	// After a commit this ends nothing. It is what ends the transaction when fn
	// fails, or panics.
	defer p.end(ctx)
	return p.finish(ctx, fn(&tx{dialect: &s.dialect, sql: p, pipeline: p}))
}

// finish commits, unless something has failed.
func (p *pipeline) finish(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return dbError(ctx, "commit transaction", err)
	}
	return p.commit(ctx)
}

// isNew reports whether nothing was sent, or is to be sent, and nothing waited for.
func (p *pipeline) isNew() bool { return p.conn == nil && len(p.turns) == 0 && len(p.queue) == 0 }

// takeTurns waits for each of them. A member of a group waits for nothing: it must
// be run again, alone.
func (p *pipeline) takeTurns(ctx context.Context, all []turn) error {
	if p.member != nil {
		p.member.refused = true
		return errAlone
	}
	waiting, cancel := until(ctx, p.own)
	defer cancel()
	for _, t := range all {
		if err := p.store.turns.take(waiting, t.thing, t.places); err != nil {
			return dbError(ctx, "wait for others", err)
		}
		p.turns = append(p.turns, t)
	}
	return nil
}

// begin takes a connection and puts BEGIN in front of what waits.
func (p *pipeline) begin(ctx context.Context) error {
	if p.conn != nil {
		return nil
	}
	if err := p.takeTurns(ctx, []turn{{"transactions", maxTxConns}}); err != nil {
		return err
	}
	explain := func(err error) error { return dbError(ctx, "begin transaction", err) }
	if err := p.store.standby.mayCommit(ctx); err != nil {
		return explain(err)
	}
	conn, err := p.store.write.connect(ctx, p.own)
	if err != nil {
		return explain(err)
	}
	p.conn = conn
	conn.Raw(func(c any) error { p.isPooled = c.(*postgresConn).isPooled; return nil })
	first := []queued{{`BEGIN`, nil, explain}}
	if p.isPooled {
		first = append(first, queued{`SELECT ` + bounds + ` WHERE 0 = $1::bigint`, []any{0, true}, explain})
	}
	if d := library.StoreTimeout(ctx); d > usualPatience {
		first = append(first, queued{`SELECT set_config('idle_in_transaction_session_timeout', $1, true)`,
			[]any{strconv.FormatInt(d.Milliseconds(), 10)}, explain})
	}
	p.queue = append(first, p.queue...)
	return nil
}

// add lets a statement wait.
func (p *pipeline) add(text string, args []any, explain func(error) error) {
	p.queue = append(p.queue, queued{text, args, explain})
}

// write lets a change wait. COMMIT may be on its way behind it, so one that must
// change something fails by itself if it does not.
func (p *pipeline) write(explain func(error) error, mustChange bool, text string, args []any) {
	if mustChange {
		// Without a record, a division by zero: see nothingChanged.
		text = `WITH changed AS (` + text + ` RETURNING 1) SELECT 1 / count(*) FROM changed`
	}
	p.add(text, args, explain)
}

// read sends what waits, and the statements with it.
func (p *pipeline) read(ctx context.Context, readings ...reading) error {
	if err := ctx.Err(); err != nil {
		return dbError(ctx, "go on with a transaction", err)
	}
	if len(p.queue)+len(readings) == 0 {
		return nil
	}
	if err := p.begin(ctx); err != nil {
		return err
	}
	return p.send(ctx, p.own, readings)
}

// commit sends what waits, and COMMIT with it. If the answer is lost nobody knows
// what has happened, whichever statement was to be answered next.
func (p *pipeline) commit(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	p.add(`COMMIT`, nil, func(err error) error {
		p.isDone = err == nil
		return dbError(ctx, "commit transaction", err)
	})
	p.isEnding = true
	own, cancel := p.untilCommitted()
	defer cancel()
	err := p.send(ctx, own, nil)
	switch {
	case p.isLocal:
		return wrap("commit transaction", library.ErrOutcomeUnknown, errLocal)
	case p.isDone: // whatever happened to the connection after that
		return nil
	case err != nil && !isRefusal(p.failure, p.isPooled):
		p.store.standby.giveUp()
		return wrap("commit transaction", library.ErrOutcomeUnknown, err)
	}
	return err
}

// untilCommitted is the context of COMMIT. Without the answer nobody knows what has
// happened, so there is time for it: at least commitPatience, and all of the usual
// patience, although that of a group is shorter.
func (p *pipeline) untilCommitted() (context.Context, context.CancelFunc) {
	end, _ := p.own.Deadline()
	for _, least := range []time.Time{time.Now().Add(commitPatience), p.began.Add(usualPatience)} {
		if least.After(end) {
			end = least
		}
	}
	return context.WithDeadline(context.WithoutCancel(p.own), end)
}

// send sends what waits and the statements, and reads all answers.
func (p *pipeline) send(ctx, own context.Context, readings []reading) error {
	waiting := p.queue
	p.queue = nil
	var batch pgx.Batch
	for _, q := range waiting {
		batch.Queue(q.text, q.args...)
	}
	for _, r := range readings {
		batch.Queue(r.text, r.args...)
	}
	var explained error
	p.failure = p.conn.Raw(func(c any) (err error) {
		conn := c.(*postgresConn)
		conn.cancels.allow(!p.isEnding)
		results := conn.Conn.Conn().SendBatch(own, &batch)
		defer func() {
			if closed := results.Close(); err == nil && closed != nil {
				err, explained = closed, dbError(ctx, "end transaction", closed)
			}
			p.isLocal = conn.cancels.isLocal.Load()
		}()
		for _, q := range waiting {
			_, err := results.Exec()
			if explained = q.explain(err); err != nil {
				return err
			}
		}
		for _, r := range readings {
			if err := readResult(results, r); err != nil {
				explained = dbError(ctx, r.doing, err)
				return err
			}
		}
		return nil
	})
	if explained == nil {
		explained = dbError(ctx, "use a connection", p.failure)
	}
	return explained
}

func readResult(results pgx.BatchResults, r reading) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	return r.scan(rows)
}

// end rolls the transaction back, if there still is one, and gives everything
// back. A connection on which that fails is of no use to anybody.
func (p *pipeline) end(ctx context.Context) {
	defer func() {
		for _, t := range p.turns {
			p.store.turns.done(t.thing)
		}
	}()
	if p.conn == nil {
		return
	}
	defer p.conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackPatience)
	defer cancel()
	p.conn.Raw(func(c any) error {
		conn := c.(*postgresConn).Conn.Conn()
		switch {
		case conn.IsClosed() || p.store.dialect.diagnose(p.failure).kind == connectionLost:
			return driver.ErrBadConn
		case conn.PgConn().TxStatus() == 'I':
			return nil
		}
		if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
			return driver.ErrBadConn
		}
		return nil
	})
}

// ExecContext and QueryContext are for statements whose answer is needed at once.
func (p *pipeline) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if err := p.flush(ctx); err != nil {
		return nil, err
	}
	result, err := p.conn.ExecContext(p.own, text, args...)
	p.failure = err
	return result, err
}

func (p *pipeline) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if err := p.flush(ctx); err != nil {
		return nil, err
	}
	rows, err := p.conn.QueryContext(p.own, text, args...)
	p.failure = err
	return rows, err
}

// flush sends what waits, at least BEGIN.
func (p *pipeline) flush(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	return p.read(ctx)
}
