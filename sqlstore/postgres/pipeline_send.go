package postgres

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"

	"example.org/library/sqlstore/engine"
)

// queued is a statement in the queue.
type queued struct {
	text    string
	args    []any
	explain func(error) error
}

// add queues a statement.
func (p *pipeline) add(text string, args []any, explain func(error) error) {
	p.queue = append(p.queue, queued{text, args, explain})
}

// Write queues a change. COMMIT may be sent together with it,
// so a statement for one row fails in the database if there is none.
func (p *pipeline) Write(ctx context.Context, s engine.Statement) error {
	text := s.Text
	if s.NotFound != nil {
		// Without a record, a division by zero: see engine.NothingChanged.
		text = `WITH changed AS (` + text + ` RETURNING 1) SELECT 1 / count(*) FROM changed`
	}
	p.add(text, s.Args, func(err error) error { return s.Explain(ctx, dialect, s.Doing, s.NotFound, err) })
	return nil
}

// ReadAll sends the queue, and the statements with it.
func (p *pipeline) ReadAll(ctx context.Context, readings []engine.Reading) error {
	if err := ctx.Err(); err != nil {
		return Error(ctx, "go on with a transaction", err)
	}
	if len(p.queue)+len(readings) == 0 {
		return nil
	}
	if err := p.begin(ctx); err != nil {
		return err
	}
	return p.send(ctx, p.own, readings)
}

// send sends the queue and the statements, and reads all answers.
func (p *pipeline) send(ctx, own context.Context, readings []engine.Reading) error {
	waiting := p.queue
	p.queue = nil
	var batch pgx.Batch
	for _, q := range waiting {
		batch.Queue(q.text, q.args...)
	}
	for _, r := range readings {
		batch.Queue(r.Text, r.Args...)
	}
	var explained error
	p.failure = p.conn.Raw(func(c any) (err error) {
		connection := c.(*conn)
		connection.cancels.allow(!p.isEnding)
		results := connection.Conn.Conn().SendBatch(own, &batch)
		defer func() {
			if closed := results.Close(); err == nil && closed != nil {
				err, explained = closed, Error(ctx, "end transaction", closed)
			}
			p.isLocal = connection.cancels.isLocal.Load()
		}()
		for _, q := range waiting {
			_, err := results.Exec()
			if explained = q.explain(err); err != nil {
				return err
			}
		}
		for _, r := range readings {
			if err := readResult(results, r); err != nil {
				explained = Error(ctx, r.Doing, err)
				return err
			}
		}
		return nil
	})
	if explained == nil {
		explained = Error(ctx, "use a connection", p.failure)
	}
	return explained
}

func readResult(results pgx.BatchResults, r engine.Reading) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	return r.Scan(rows)
}

// ExecContext, QueryContext and Read send statements for an answer at once.
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

func (p *pipeline) Read(ctx context.Context, r engine.Reading) error {
	return engine.Ask(ctx, p, r, unavailable)
}

// flush sends the queue, at least BEGIN.
func (p *pipeline) flush(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	return p.ReadAll(ctx, nil)
}
