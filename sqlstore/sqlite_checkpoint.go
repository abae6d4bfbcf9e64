package sqlstore

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"time"
)

// checkpointer moves what was written from SQLite's write-ahead log into the
// file itself, about a second later. SQLite does so by itself when the log has
// grown long, which in a small library takes weeks; whoever copies the file
// alone would have an old one.
//
// It has a connection of its own and asks for a passive checkpoint, which waits
// for nobody and for which nobody waits.
type checkpointer struct {
	db     *sql.DB
	needed atomic.Bool
	failed func(error)

	stop    func()
	stopped sync.WaitGroup
}

const checkpointEvery = time.Second

func newCheckpointer(dsn string, failed func(error)) *checkpointer {
	ctx, cancel := context.WithCancel(context.Background())
	c := &checkpointer{db: openPool(dsn, 1), failed: failed, stop: cancel}
	c.stopped.Go(func() { c.work(ctx) })
	return c
}

func (c *checkpointer) work(ctx context.Context) {
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !c.needed.Swap(false) {
			continue
		}
		if err := c.run(ctx); err != nil && ctx.Err() == nil {
			c.needed.Store(true)
			c.failed(err)
		}
	}
}

// run moves as much as readers allow; what they do not allow yet is for the next
// time.
func (c *checkpointer) run(ctx context.Context) error {
	var busy, written, moved int
	err := c.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &written, &moved)
	if err == nil && (busy != 0 || moved < written) {
		c.needed.Store(true)
	}
	return dbError(ctx, "move the log into the database file", err)
}

// Close ends the work and the connection.
func (c *checkpointer) Close() error {
	c.stop()
	c.stopped.Wait()
	return c.db.Close()
}
