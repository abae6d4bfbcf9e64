package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"modernc.org/sqlite"

	"example.org/library"
)

// sqliteRevision tells the revision of a SQLite database. It has a connection
// of its own that never writes: there, PRAGMA data_version changes exactly when
// somebody else, in this program or in another, has committed something.
//
// It goes around database/sql, which would take longer than the pragma itself.
type sqliteRevision struct {
	dsn string

	mu       sync.Mutex
	closed   bool
	conn     driver.Conn // nil before the first use and after a failure
	stmt     driver.Stmt
	row      [1]driver.Value
	epoch    string // data_version means nothing on another connection
	version  int64
	revision library.Revision // of epoch and version
}

func newSQLiteRevision(dsn string) *sqliteRevision { return &sqliteRevision{dsn: dsn} }

// current is the revision now: not older than the call.
func (r *sqliteRevision) current(ctx context.Context) (library.Revision, error) {
	if err := ctx.Err(); err != nil {
		return "", fault(ctx, "read revision", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	version, err := r.dataVersion(ctx)
	if err != nil {
		r.close()
		return "", fault(ctx, "read revision", err)
	}
	if version != r.version || r.revision == "" {
		r.version = version
		r.revision = library.Revision(r.epoch + "." + strconv.FormatInt(version, 36))
	}
	return r.revision, nil
}

func (r *sqliteRevision) dataVersion(ctx context.Context) (int64, error) {
	if r.conn == nil {
		if err := r.connect(ctx); err != nil {
			return 0, err
		}
	}
	//lint:ignore SA1019 no context: it would cost a goroutine, and this does not wait
	rows, err := r.stmt.Query(nil)
	if err != nil {
		return 0, err
	}
	err = rows.Next(r.row[:])
	if err := errors.Join(err, rows.Close()); err != nil {
		return 0, err
	}
	version, ok := r.row[0].(int64)
	if !ok {
		return 0, fmt.Errorf("data_version is %T", r.row[0])
	}
	return version, nil
}

func (r *sqliteRevision) connect(ctx context.Context) error {
	if r.closed {
		return sql.ErrConnDone
	}
	connector, err := sqlite.NewConnector(r.dsn)
	if err != nil {
		return err
	}
	if r.conn, err = connector.Connect(ctx); err != nil {
		r.conn = nil
		return err
	}
	if r.stmt, err = r.conn.Prepare(`PRAGMA data_version`); err != nil {
		return err
	}
	r.epoch, r.revision = rand.Text(), ""
	return nil
}

func (r *sqliteRevision) close() error {
	if r.conn == nil {
		return nil
	}
	if r.stmt != nil {
		r.stmt.Close()
	}
	err := r.conn.Close()
	r.conn, r.stmt = nil, nil
	return err
}

// Close ends the connection.
func (r *sqliteRevision) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.close()
}
