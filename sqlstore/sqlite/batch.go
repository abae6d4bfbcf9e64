package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// batcher runs the transactions of a SQLite database, one at a time. Each is slow by the wait for the disk at its end;
// so transactions in the queue are committed together (group commit), and wait once.
//
// Each of them is still all or nothing, and none succeeds before the batch is on the disk. When one has to be undone,
// or anything else goes wrong with the batch, its transactions are run again one by one. That is rare: what refuses a
// change mostly does so before anything is written.
type batcher struct {
	db         *sql.DB // one connection
	publishing *publishing

	mu      sync.Mutex
	queue   []*job
	running bool
	held    error // why nothing can be written, while another program holds the file
}

// job is a transaction in the queue.
type job struct {
	ctx   context.Context
	fn    func(engine.Tx) error
	err   error
	panic any           // of fn, for its caller
	done  chan struct{} // closed when the rest is set
}

// maxBatch bounds how long the first of a batch waits for the last, maxQueue the memory of the queue.
const (
	maxBatch = 64
	maxQueue = 1024
)

// do runs fn in a transaction. A caller who finds nobody at work does so at once. This
// costs less than to start a goroutine for it and to wait; the others queue.
func (b *batcher) do(ctx context.Context, fn func(engine.Tx) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	b.mu.Lock()
	if err := b.refusal(ctx); err != nil {
		b.mu.Unlock()
		return err
	}
	first := !b.running
	b.running = true
	if !first {
		b.queue = append(b.queue, j)
	}
	b.mu.Unlock()
	if first {
		b.runFirst(j)
	}
	<-j.done
	if j.panic != nil {
		panic(j.panic)
	}
	return j.err
}

// refusal is why a transaction is not let into the queue.
func (b *batcher) refusal(ctx context.Context) error {
	switch {
	case b.held != nil:
		return Error(ctx, "begin transaction", b.held)
	case len(b.queue) >= maxQueue:
		return fmt.Errorf("sqlstore: begin transaction: %w", library.ErrOverloaded)
	}
	return nil
}

// isHeld returns the error of a file in the hold of another program; nil if none holds it, as far as is known.
func (b *batcher) isHeld() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// runFirst runs a job, and leaves the queue to others.
func (b *batcher) runFirst(j *job) {
	defer func() {
		if jobs := b.next(); len(jobs) > 0 {
			go b.work(jobs)
		}
	}()
	b.finish([]*job{j})
}

// work runs jobs, and then the queue until it is empty.
func (b *batcher) work(jobs []*job) {
	defer func() {
		if len(jobs) > 0 { // a transaction ended this goroutine, as a failing test does
			go b.work(b.next())
		}
	}()
	for ; len(jobs) > 0; jobs = b.next() {
		b.finish(jobs)
	}
}

// next takes jobs out of the queue. Without any, the work is over.
func (b *batcher) next() []*job {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.queue), maxBatch)
	jobs := b.queue[:n:n]
	b.queue = b.queue[n:]
	b.running = n > 0
	return jobs
}

// finish runs jobs and lets their callers go on, whatever happens in between.
func (b *batcher) finish(jobs []*job) {
	ran := false
	defer func() {
		for _, j := range jobs {
			if !ran {
				j.err = errAborted
			}
			close(j.done)
		}
	}()
	b.run(jobs)
	ran = true
}

var errAborted = errors.New("sqlstore: a transaction of the same batch ended its goroutine")

func (b *batcher) run(jobs []*job) {
	if len(jobs) > 1 {
		err := b.together(jobs)
		if err == nil || b.giveUp(jobs, err) {
			return
		}
	}
	for i, j := range jobs {
		j.err, j.panic = nil, nil
		b.alone(j)
		if b.giveUp(jobs[i+1:], j.err) {
			return
		}
	}
}

// giveUp fails all transactions in the queue if another program has held the file for as long as a caller may wait.
// Each of them would wait as long again. Later ones are refused at once until the file is free.
func (b *batcher) giveUp(jobs []*job, err error) bool {
	if Code(err) != sqlite3.SQLITE_BUSY {
		return false
	}
	b.mu.Lock()
	queue := b.queue
	b.queue = nil
	if b.held == nil {
		b.held = err
		go b.awaitRelease()
	}
	b.mu.Unlock()
	for _, j := range jobs {
		j.err, j.panic = Error(j.ctx, "begin transaction", err), nil
	}
	for _, j := range queue {
		j.err = Error(j.ctx, "begin transaction", err)
		close(j.done)
	}
	return true
}

const releasePause = 50 * time.Millisecond

// awaitRelease waits until the other program gives the file back, or until
// something else is the matter, for the next transaction to find out.
func (b *batcher) awaitRelease() {
	for {
		t, err := b.db.Begin() // waits as long as a caller would
		if err == nil {
			t.Rollback()
		}
		if Code(err) == sqlite3.SQLITE_BUSY {
			time.Sleep(releasePause) // where SQLite itself does not wait
			continue
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.held = nil
		return
	}
}

// together runs several jobs in one transaction. After an error nothing
// has happened, and nothing is known about any of them.
func (b *batcher) together(jobs []*job) error {
	return transaction(context.Background(), b.db, func(t *tx) error {
		for _, j := range jobs {
			if j.err = j.ctx.Err(); j.err != nil {
				j.err = Error(j.ctx, "begin transaction", j.err)
				continue
			}
			t.changed = false
			j.protect(func() error { return b.publishing.run(j.fn, t) })
			// After some errors of its own SQLite has undone everything.
			if j.err != nil && (t.changed || Code(j.err) != 0) {
				return errUndo
			}
		}
		return nil
	})
}

var errUndo = errors.New("sqlstore: a transaction of the batch must be undone")

// alone runs a job in a transaction of its own.
func (b *batcher) alone(j *job) {
	err := transaction(j.ctx, b.db, func(t *tx) error {
		j.protect(func() error { return b.publishing.run(j.fn, t) })
		return j.err
	})
	if j.err == nil {
		j.err = err
	}
}

// protect keeps a panic for the caller of the job.
func (j *job) protect(fn func() error) {
	defer func() {
		if p := recover(); p != nil {
			j.panic = p
			j.err = errors.New("sqlstore: panic in a transaction")
		}
	}()
	j.err = fn()
}
