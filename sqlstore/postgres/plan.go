package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library/sqlstore/engine"
)

// keepPlans keeps the planner from planning anew each time, and from reading whole
// tables: a plan that was made when a table was small would not do any more when it has
// grown. It holds until the end of the transaction, or of the session.
func keepPlans(isLocal string) string {
	settings := []string{`set_config('plan_cache_mode', 'force_generic_plan', ` + isLocal + `)`}
	for _, name := range []string{"enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_bitmapscan", "enable_material"} {
		settings = append(settings, `set_config('`+name+`', 'off', `+isLocal+`)`)
	}
	return strings.Join(settings, `, `)
}

// KeepPlans keeps plans until the end of the transaction. That takes the server as long as to
// lock a book and to read it, so sessions that do nothing but lend keep them for good:
// lendingSettings have the place of isLocal.
var (
	KeepPlans       = `SELECT ` + keepPlans(`true`)
	lendingSettings = `, ` + keepPlans(`$2`) + `, set_config('library.publishes', 'on', $2)`
)

// ask sends one statement alone.
func (c *conn) ask(ctx context.Context, r engine.Reading) error {
	c.cancels.allow(true)
	rows, err := c.Conn.Conn().Query(ctx, r.Text, r.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return r.Scan(rows)
}

// askLong sends a statement that may take longer than the others of a session: as long as its caller waits.
func (c *conn) askLong(ctx context.Context, r engine.Reading) error {
	end, _ := ctx.Deadline()
	left := max(time.Until(end), time.Millisecond)
	return pgx.BeginFunc(ctx, c.Conn.Conn(), func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, `SELECT set_config('statement_timeout', $1, true)`, strconv.FormatInt(left.Milliseconds(), 10)); err != nil {
			return err
		}
		return c.ask(ctx, r)
	})
}

// askPlanned sends a statement together with KeepPlans. What is sent together is a
// transaction.
func (c *conn) askPlanned(ctx context.Context, r engine.Reading) (err error) {
	var batch pgx.Batch
	batch.Queue(KeepPlans)
	batch.Queue(r.Text, r.Args...)
	c.cancels.allow(true)
	results := c.Conn.Conn().SendBatch(ctx, &batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := results.Exec(); err != nil {
		return err
	}
	return readResult(results, r)
}
