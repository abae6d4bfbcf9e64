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
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"example.org/library"
)

// sqliteRevision tells the revision of a SQLite database. It has a connection
// of its own that never writes: there, PRAGMA data_version changes exactly when
// somebody else, in this program or in another, has committed something.
//
// It goes around database/sql, which would take longer than the pragma itself,
// and it does not ask at all while the wal-index shows that nothing happened.
type sqliteRevision struct {
	path string
	dsn  string
	seen atomic.Pointer[observation] // nil when SQLite must be asked

	mu       sync.Mutex
	closed   bool
	conn     driver.Conn // nil before the first use and after a failure
	stmt     driver.Stmt
	row      [1]driver.Value
	epoch    string // data_version means nothing on another connection
	version  int64
	revision library.Revision // of epoch and version
}

// observation is a revision, and the head of the wal-index before it was learned:
// as long as the head is the same, so is the revision.
type observation struct {
	index    *walIndex
	head     walHead
	revision library.Revision
	until    time.Time // when to make sure that the index is still the one in use
}

const trustIndex = time.Second

func newSQLiteRevision(path, dsn string) *sqliteRevision {
	return &sqliteRevision{path: path, dsn: dsn}
}

// current is the revision now: not older than the call.
func (r *sqliteRevision) current(ctx context.Context) (library.Revision, error) {
	if s := r.seen.Load(); s != nil && s.index.read() == s.head && time.Now().Before(s.until) {
		return s.revision, nil
	}
	if err := ctx.Err(); err != nil {
		return "", dbError(ctx, "read revision", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	revision, err := r.ask(ctx)
	if err != nil {
		r.close()
		return "", dbError(ctx, "read revision", err)
	}
	return revision, nil
}

// ask asks SQLite, and notes what the wal-index looked like just before.
func (r *sqliteRevision) ask(ctx context.Context) (library.Revision, error) {
	if r.conn == nil {
		if err := r.connect(ctx); err != nil {
			return "", err
		}
	}
	next := r.observe()
	version, err := r.dataVersion()
	if err != nil {
		return "", err
	}
	if version != r.version || r.revision == "" {
		if last := r.seen.Load(); last != nil && next != nil && last.head == next.head {
			next = nil // something happened that the wal-index does not show: do not trust it
		}
		r.version = version
		r.revision = library.Revision(r.epoch + "." + strconv.FormatInt(version, 36))
	}
	if next != nil {
		next.revision = r.revision
	}
	r.seen.Store(next)
	return r.revision, nil
}

// observe reads the wal-index, if there is one.
func (r *sqliteRevision) observe() *observation {
	now := time.Now()
	last := r.seen.Load()
	if last == nil || !now.Before(last.until) && !last.index.current() {
		index, err := openWALIndex(r.path)
		if err != nil {
			return nil
		}
		last = &observation{index: index}
	}
	return &observation{index: last.index, head: last.index.read(), until: now.Add(trustIndex)}
}

func (r *sqliteRevision) dataVersion() (int64, error) {
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
	_, err = r.dataVersion() // makes the connection a user of the wal-index
	return err
}

func (r *sqliteRevision) close() error {
	r.seen.Store(nil) // without the connection the wal-index may go away
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
