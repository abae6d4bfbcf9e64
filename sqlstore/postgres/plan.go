package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.org/library/sqlstore/engine"
)

// KeepPlans keeps the planner, until the end of the transaction, from planning anew
// each time, and from reading whole tables: a plan that was made when a table was
// small would not do any more when it has grown.
const KeepPlans = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
	set_config('enable_material', 'off', true)`

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
