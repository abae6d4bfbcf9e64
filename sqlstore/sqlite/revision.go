package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// revision finds the revision of a SQLite database. It has a connection
// of its own that never writes: there, PRAGMA data_version changes exactly when
// somebody else, in this program or in another, has committed something.
//
// It goes around database/sql, which would take longer than the pragma itself,
// and it does not ask at all while the wal-index shows that nothing happened.
type revision struct {
	path string
	dsn  string
	seen atomic.Pointer[observation] // nil when SQLite must be queried

	journal revcache.Journal

	mu      sync.Mutex
	closed  bool
	conn    driver.Conn // nil before the first use and after a failure
	stmt    driver.Stmt // PRAGMA data_version
	changes driver.Stmt // newestChanges
	row     [1]driver.Value
	epoch   string // data_version means nothing on another connection
	version int64
	last    changeMark       // the newest change that the journal has
	now     library.Revision // of epoch and version; its zero value before there is one
}

// changeMark is a row of changed_books: see the migration.
type changeMark struct{ seq, mark int64 }

// newestChanges are the changes from a row on, the newest first.
const newestChanges = `SELECT seq, mark, books FROM changed_books WHERE seq >= ? ORDER BY seq DESC LIMIT 512`

// observation is a revision, and the head of the wal-index before it was learned:
// as long as the head is the same, so is the revision.
type observation struct {
	index    *walIndex
	head     walHead
	revision library.Revision
	until    time.Time // when to make sure that the index is still the one in use
}

const trustIndex = time.Second

func newRevision(path, dsn string) *revision { return &revision{path: path, dsn: dsn} }

// current is the revision now: not older than the call.
func (r *revision) current(ctx context.Context) (library.Revision, error) {
	if s := r.seen.Load(); s != nil && s.index.read() == s.head && time.Now().Before(s.until) {
		return s.revision, nil
	}
	if err := ctx.Err(); err != nil {
		return library.Revision{}, Error(ctx, "read revision", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.ask(ctx)
	if err != nil {
		r.close()
		return library.Revision{}, Error(ctx, "read revision", err)
	}
	return at, nil
}

// ask asks SQLite, and notes what the wal-index looked like just before.
func (r *revision) ask(ctx context.Context) (library.Revision, error) {
	if r.conn == nil {
		if err := r.connect(ctx); err != nil {
			return library.Revision{}, err
		}
	}
	next := r.observe()
	version, err := r.dataVersion()
	if err != nil {
		return library.Revision{}, err
	}
	if version != r.version || r.now == (library.Revision{}) {
		if last := r.seen.Load(); last != nil && next != nil && last.head == next.head {
			next = nil // something happened that the wal-index does not show: do not trust it
		}
		known := r.last
		if err := r.learn(); err != nil {
			return library.Revision{}, err
		}
		r.version = version
		// Where nothing was noted, the log was emptied, or something was written that no
		// response shows.
		if r.last != known || known == (changeMark{}) || r.now == (library.Revision{}) {
			r.now = r.journal.At(r.epoch + "." + strconv.FormatInt(version, 36))
		}
	}
	if next != nil {
		next.revision = r.now
	}
	r.seen.Store(next)
	return r.now, nil
}

// learn notes in the journal what has changed since the last time. It may see more
// than what the version stands for; that is then not seen again.
func (r *revision) learn() error {
	//lint:ignore SA1019 no context: as for the version
	rows, err := r.changes.Query([]driver.Value{r.last.seq})
	if err != nil {
		return err
	}
	defer rows.Close()
	var newest changeMark
	var subjects []string
	var row [3]driver.Value
	for all := false; ; {
		if err := rows.Next(row[:]); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		seq, _ := row[0].(int64)
		mark, _ := row[1].(int64)
		books, _ := row[2].(string)
		at := changeMark{seq, mark}
		if newest == (changeMark{}) {
			newest = at
		}
		if at == r.last {
			r.note(newest, subjects, all)
			return nil
		}
		all = all || books == engine.EveryBook
		if books != engine.NoBook {
			subjects = append(subjects, strings.Fields(books)...)
		}
	}
	r.note(newest, nil, true) // what is known is no longer there
	return nil
}

func (r *revision) note(newest changeMark, subjects []string, all bool) {
	switch {
	case all:
		r.journal.ChangeAll()
	case newest != r.last:
		r.journal.Change(subjects...)
	}
	r.last = newest
}

// observe reads the wal-index, if there is one.
func (r *revision) observe() *observation {
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

func (r *revision) dataVersion() (int64, error) {
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

func (r *revision) connect(ctx context.Context) error {
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
	if r.changes, err = r.conn.Prepare(newestChanges); err != nil {
		return err
	}
	r.epoch, r.now = rand.Text(), library.Revision{}
	_, err = r.dataVersion() // makes the connection a user of the wal-index
	return err
}

func (r *revision) close() error {
	r.seen.Store(nil) // without the connection the wal-index may go away
	if r.conn == nil {
		return nil
	}
	for _, stmt := range []driver.Stmt{r.stmt, r.changes} {
		if stmt != nil {
			stmt.Close()
		}
	}
	err := r.conn.Close()
	r.conn, r.stmt, r.changes = nil, nil, nil
	return err
}

// Close ends the connection.
func (r *revision) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.close()
}
