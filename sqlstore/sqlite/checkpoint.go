package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"time"
)

// checkpointer moves changes from SQLite's write-ahead log into the file itself, about a second later. SQLite alone
// does so when the log has grown long, which in a small library takes weeks, and somebody who copies only the file
// would get an old state.
//
// It has a connection of its own and asks for a passive checkpoint: it waits for nobody, and nobody waits for it.
//
// The log keeps its content until something else is written over it, and with it removed people. So it is emptied every
// ten seconds, at a moment when nobody uses it.
type checkpointer struct {
	db     *sql.DB
	needed atomic.Bool
	failed func(error)

	mu      sync.Mutex
	emptied time.Time

	stop    func()
	stopped sync.WaitGroup
}

const (
	checkpointEvery = time.Second
	emptyEvery      = 10 * time.Second
)

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

// run moves as much as readers allow, and leaves the rest for the next time.
func (c *checkpointer) run(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	isMoved, isEmpty, err := c.checkpoint(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
	if err == nil && isMoved && !isEmpty && time.Since(c.emptied) >= emptyEvery {
		// Nobody is waited for.
		if _, err = c.db.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err == nil {
			isMoved, isEmpty, err = c.checkpoint(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
		}
		if err == nil && isEmpty {
			c.emptied = time.Now()
		}
	}
	if err == nil && (!isMoved || !isEmpty) {
		c.needed.Store(true)
	}
	return Error(ctx, "move the log into the database file", err)
}

// checkpoint reports whether all of the log is in the file, and whether nothing is left in the log.
func (c *checkpointer) checkpoint(ctx context.Context, pragma string) (isMoved, isEmpty bool, err error) {
	var busy, written, moved int
	err = c.db.QueryRowContext(ctx, pragma).Scan(&busy, &written, &moved)
	return busy == 0 && moved >= written, busy == 0 && written == 0, err
}

// Close ends the work and the connection.
func (c *checkpointer) Close() error {
	c.stop()
	c.stopped.Wait()
	return c.db.Close()
}
