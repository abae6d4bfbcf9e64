package sqlite

import (
	"context"
	"database/sql/driver"
	"sync/atomic"

	"modernc.org/sqlite"

	"example.org/library/sqlstore/engine"
)

// publishing says whether the writing connection is in a transaction of the records: it publishes its own changes.
// Triggers take every other change for one by hand, and invalidate everything: see the migration.
//
// SQLite has no setting of a connection for triggers to read, and a function that other programs do not have would keep
// them from changing anything. So the triggers ask sqlite_compileoption_used('LIBRARY_PUBLISHES'): SQLite itself, in
// the program sqlite3 for example, answers no, and this connection has a function of its own under this name.
type publishing struct {
	driver  *sqlite.Driver // of the connection
	dsn     string
	current atomic.Bool
}

func newPublishing(dsn string) (*publishing, error) {
	p := &publishing{driver: &sqlite.Driver{}, dsn: dsn}
	return p, p.driver.RegisterScalarFunction("sqlite_compileoption_used", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		if len(args) == 1 && args[0] == "LIBRARY_PUBLISHES" && p.current.Load() {
			return int64(1), nil
		}
		return int64(0), nil
	})
}

// Connect opens the connection.
func (p *publishing) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.driver.Open(p.dsn)
}

func (p *publishing) Driver() driver.Driver { return p.driver }

// run runs fn in a transaction. That ends before COMMIT, after which the connection may be somebody else's.
func (p *publishing) run(fn func(engine.Tx) error, t *tx) error {
	p.current.Store(true)
	defer p.current.Store(false)
	return fn(t)
}
