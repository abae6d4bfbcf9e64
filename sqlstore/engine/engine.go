// Package engine is the interface between the records of package sqlstore and a database, and
// the code of both databases. It knows neither of them, nor the records.
//
// Start reading at [Engine], which sqlstore/sqlite and sqlstore/postgres implement. The SQL in which they differ is a
// [Dialect]. How rows are read is in reading.go, how statements that list records are composed in selection.go, what
// values look like in column.go, and what an error of a database means in errors.go.
package engine

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"example.org/library"
)

// Engine is a database.
type Engine interface {
	Dialect() *Dialect

	// Read reads outside a transaction. ReadPlanned does so by a plan made
	// once, for statements with a plan that takes longer than their run.
	Reader
	ReadPlanned(ctx context.Context, r Reading) error
	// Tx runs fn in one transaction, and again when the database asks for it, or
	// when the connection was lost before COMMIT was sent.
	Tx(ctx context.Context, fn func(Tx) error) error
	// Direct is for changes of the schema, outside the transactions of the records.
	Direct() Direct

	// Revision is the revision now: not older than the call.
	Revision(ctx context.Context) (library.Revision, error)

	// Ready explains why the database cannot be used now. It runs a statement that fails
	// if a table is missing, and writes only after a doubt.
	Ready(ctx context.Context, tables string) error
	// TryLock takes a lock until it is released or the program dies. release is nil if another program has it.
	TryLock(ctx context.Context, l library.Lock) (release func(), err error)
	// Migrate runs up to bring the schema up to date, beside other programs at the same work. pending is the rest of
	// up. FinishMigration comes last, when the records are up to date, too.
	Migrate(ctx context.Context, up, pending func(context.Context) ([]string, error)) ([]string, error)
	FinishMigration(ctx context.Context) error
	// EventsWaitFor returns the transaction that holds back events, the zero value if none does.
	EventsWaitFor(ctx context.Context) (Waiting, error)

	// MaxReads is how many should read at once. Stats counts the connections.
	MaxReads() int
	Stats() sql.DBStats
	Close() error
}

// Direct is the connections that write, without the transactions of the records.
type Direct struct {
	*sql.DB
	Reader
}

// Tx is a transaction.
type Tx interface {
	Dialect() *Dialect

	// ExecContext is for changes with a result for the next step, and so is Read.
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	Reader
	// ReadAll runs several statements, in one round trip if possible.
	ReadAll(ctx context.Context, readings []Reading) error
	// Write runs a statement without a result for the rest of the
	// transaction. It may be sent later, and then fails later.
	Write(ctx context.Context, s Statement) error

	// Lock lets one transaction at a time go on from here.
	Lock(ctx context.Context, l library.Lock) error
	// ClaimKey fails with [library.ErrKeyInUse] if another transaction has the
	// idempotency key, or if there is a younger answer under it.
	ClaimKey(ctx context.Context, key library.Digest, after int64) error

	// WaitInLine waits until few other transactions of this process are about the same book or the same people.
	WaitInLine(ctx context.Context, l library.Load) error
}

// Statement is a change, and the meaning of its failure.
type Statement struct {
	Doing    string // for errors
	Text     string
	Args     []any
	NotFound error // the statement must change one record, or this is the error; nil if it need not
	Explain  Explainer
}

// Explainer puts the error of a statement in the words of the domain. A nil error stays nil.
type Explainer func(ctx context.Context, d *Dialect, doing string, notFound, err error) error

// SumStats counts the connections of two pools together.
func SumStats(sum, more sql.DBStats) sql.DBStats {
	sum.MaxOpenConnections += more.MaxOpenConnections
	sum.OpenConnections += more.OpenConnections
	sum.InUse += more.InUse
	sum.Idle += more.Idle
	sum.WaitCount += more.WaitCount
	sum.WaitDuration += more.WaitDuration
	sum.MaxIdleClosed += more.MaxIdleClosed
	sum.MaxIdleTimeClosed += more.MaxIdleTimeClosed
	sum.MaxLifetimeClosed += more.MaxLifetimeClosed
	return sum
}

// How long something may take on a broken database: locked,
// frozen, cut off, or gone. A caller gets an answer after about three seconds.
const (
	// UsualTimeout is for a statement or a transaction, with all of its waits and attempts. Longer work says so: see
	// [library.WithStoreTimeout].
	UsualTimeout = 3 * time.Second
	// ReadyTimeout is for the question whether the database can be used now.
	ReadyTimeout = 2 * time.Second
)

// Timeout is how long the work of a context may take.
func Timeout(ctx context.Context) time.Duration {
	if d := library.StoreTimeout(ctx); d > 0 {
		return d
	}
	return UsualTimeout
}

// Waiting is a transaction that holds back events of the library: on
// PostgreSQL the oldest with a change, anybody's in the cluster.
type Waiting struct {
	For time.Duration // how long it has been open; 0 if nothing waits

	// The words of the server, as far as the user of the library may know.
	Transaction int64
	PID         int // 0 for a prepared transaction
	Database    string
	User        string
	Application string
	State       string
}

// LogValue is how a log shows it.
func (w Waiting) LogValue() slog.Value {
	return slog.GroupValue(slog.Int64("transaction", w.Transaction), slog.Int("pid", w.PID),
		slog.String("database", w.Database), slog.String("user", w.User),
		slog.String("application", w.Application), slog.String("state", w.State))
}
