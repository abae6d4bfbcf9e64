package sqlstore

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// keepPlans keeps the planner, until the end of the transaction, from planning anew
// each time, and from reading whole tables: a plan that was made when a table was
// small would not do any more when it has grown.
const keepPlans = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
	set_config('enable_material', 'off', true)`

// ask sends a statement by itself.
func (c *postgresConn) ask(ctx context.Context, r reading) error {
	c.cancels.allow(true)
	rows, err := c.Conn.Conn().Query(ctx, r.text, r.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return r.scan(rows)
}

// askPlanned sends a statement together with keepPlans. What is sent together is a
// transaction.
func (c *postgresConn) askPlanned(ctx context.Context, r reading) (err error) {
	var batch pgx.Batch
	batch.Queue(keepPlans)
	batch.Queue(r.text, r.args...)
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
