package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
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
	conn  *sql.Conn
	queue []queued
}

// queued is a statement that waits.
type queued struct {
	text    string
	args    []any
	explain func(error) error
}

// runPipeline runs fn in a transaction of its own, once.
func runPipeline(ctx context.Context, db *sql.DB, d *dialect, fn func(library.Tx) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return dbError(ctx, "begin transaction", err)
	}
	defer conn.Close()
	p := &pipeline{conn: conn}
	// After a commit this does nothing. It is what ends the transaction when fn
	// fails, or panics.
	defer p.rollback(ctx)
	p.add(`BEGIN`, nil, func(err error) error { return dbError(ctx, "begin transaction", err) })
	if err := fn(&tx{dialect: d, sql: p, pipeline: p}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return dbError(ctx, "commit transaction", err)
	}
	p.add(`COMMIT`, nil, func(err error) error { return dbError(ctx, "commit transaction", err) })
	// The end of the connection before the last answer says nothing about what
	// happened, whichever statement it meets.
	err = p.read(ctx)
	if isCommitUnknown(err) {
		return wrap("commit transaction", library.ErrOutcomeUnknown, err)
	}
	return err
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
	if len(p.queue)+len(readings) == 0 {
		return nil
	}
	waiting := p.queue
	p.queue = nil
	var batch pgx.Batch
	for _, q := range waiting {
		batch.Queue(q.text, q.args...)
	}
	for _, r := range readings {
		batch.Queue(r.text, r.args...)
	}
	return p.conn.Raw(func(c any) (err error) {
		results := c.(postgresConn).Conn.Conn().SendBatch(ctx, &batch)
		defer func() {
			if closed := results.Close(); err == nil && closed != nil {
				err = dbError(ctx, "end transaction", closed)
			}
		}()
		for _, q := range waiting {
			if _, err := results.Exec(); err != nil {
				return q.explain(err)
			}
		}
		for _, r := range readings {
			if err := readResult(results, r); err != nil {
				return dbError(ctx, r.doing, err)
			}
		}
		return nil
	})
}

func readResult(results pgx.BatchResults, r reading) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	return r.scan(rows)
}

// rollbackPatience bounds how long a caller waits for the end of what it gives up.
const rollbackPatience = 5 * time.Second

// rollback ends the transaction, if there is one. A connection on which that
// fails is of no use to anybody.
func (p *pipeline) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackPatience)
	defer cancel()
	p.conn.Raw(func(c any) error {
		conn := c.(postgresConn).Conn.Conn()
		if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
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
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	return p.conn.ExecContext(ctx, text, args...)
}

func (p *pipeline) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	return p.conn.QueryContext(ctx, text, args...)
}
