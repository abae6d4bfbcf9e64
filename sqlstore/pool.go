package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"example.org/library"
)

// pool is the connections to a database. What is read through it is read again
// when the connection is lost.
type pool struct {
	*sql.DB
	diagnose func(error) diagnosis
	// isRemote is true where connections can be lost, and waited for.
	isRemote bool
}

// ask reads outside a transaction.
func (p *pool) ask(ctx context.Context, r reading) error {
	if !p.isRemote {
		return ask(ctx, p.DB, r)
	}
	return p.askRemote(ctx, r, (*postgresConn).ask)
}

// askPlanned reads by a plan that is made once. It takes PostgreSQL longer to plan a
// statement about many tables than to read a few records from each.
func (p *pool) askPlanned(ctx context.Context, r reading) error {
	if !p.isRemote {
		return ask(ctx, p.DB, r)
	}
	return p.askRemote(ctx, r, (*postgresConn).askPlanned)
}

func (p *pool) askRemote(ctx context.Context, r reading, ask func(*postgresConn, context.Context, reading) error) error {
	return p.persist(ctx, func(own context.Context) error {
		conn, err := p.connect(ctx, own)
		if err != nil {
			return dbError(ctx, r.doing, err)
		}
		defer conn.Close()
		return dbError(ctx, r.doing, conn.Raw(func(c any) error { return ask(c.(*postgresConn), own, r) }))
	})
}

// ask runs one statement.
func ask(ctx context.Context, q querier, r reading) error {
	rows, err := q.QueryContext(ctx, r.text, r.args...)
	if err != nil {
		return dbError(ctx, r.doing, err)
	}
	defer rows.Close()
	return dbError(ctx, r.doing, r.scan(rows))
}

// connect waits for a connection as long as the caller is there.
func (p *pool) connect(ctx, own context.Context) (*sql.Conn, error) {
	waiting, cancel := until(ctx, own)
	defer cancel()
	return p.Conn(waiting)
}

// attempts bounds how often something is run when the database finds that it got
// in the way of others.
const attempts = 10

// persist runs do until it succeeds, or fails for a reason that stays, or the
// caller has no patience left. The context of do is for its statements.
func (p *pool) persist(ctx context.Context, do func(own context.Context) error) error {
	own, cancel := ctx, context.CancelFunc(func() {})
	if p.isRemote {
		own, cancel = unhurried(ctx)
	}
	defer cancel()
	for attempt := 1; ; attempt++ {
		err := do(own)
		pause := p.pause(err, attempt)
		if pause == 0 {
			return err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): // those who collided must not come back in step
		case <-ctx.Done():
			return dbError(ctx, "try again", err)
		case <-own.Done():
			return err
		}
	}
}

// pause is how long to wait before what has failed is run again, 0 if it is not
// to be run again.
func (p *pool) pause(err error, attempt int) time.Duration {
	if err == nil || errors.Is(err, library.ErrOutcomeUnknown) {
		return 0
	}
	switch p.diagnose(err).kind {
	case tryAgain:
		if attempt < attempts {
			return time.Duration(attempt) * time.Millisecond
		}
	case lockTimeout: // it has waited already
		return time.Millisecond
	case connectionLost:
		return 30 * time.Millisecond
	}
	return 0
}
