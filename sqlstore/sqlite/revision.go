package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"strings"
	"sync"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// revision finds the revision of a SQLite database on a connection of its own that never writes: PRAGMA data_version
// changes there exactly when another connection, of this program or of another, commits.
type revision struct {
	db      *sql.DB
	journal revcache.Journal

	mu      sync.Mutex
	conn    *sql.Conn // nil before the first use and after a failure
	epoch   string    // data_version means nothing on another connection
	version int64
	last    changeMark       // the newest change that the journal has
	now     library.Revision // of epoch and version; its zero value before there is one
}

// changeMark is a row of changed_books: see the migration.
type changeMark struct{ seq, mark int64 }

// newestChanges are the changes from a row on, the newest first.
const newestChanges = `SELECT seq, mark, books FROM changed_books WHERE seq >= ? ORDER BY seq DESC LIMIT 512`

func newRevision(dsn string) *revision { return &revision{db: openPool(dsn, 1)} }

// current returns the revision now: not older than the call.
func (r *revision) current(ctx context.Context) (library.Revision, error) {
	if err := ctx.Err(); err != nil {
		return library.Revision{}, Error(ctx, "read revision", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.ask(context.WithoutCancel(ctx)) // to cancel it would cost a goroutine, and it does not wait
	if err != nil {
		r.forget()
		return library.Revision{}, Error(ctx, "read revision", err)
	}
	return r.now, nil
}

// ask asks SQLite for the version, and for the changes since if it is a new one.
func (r *revision) ask(ctx context.Context) (err error) {
	if r.conn == nil {
		if r.conn, err = r.db.Conn(ctx); err != nil {
			return err
		}
		r.epoch, r.now = rand.Text(), library.Revision{}
	}
	var version int64
	if err := r.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil {
		return err
	}
	if version == r.version && r.now != (library.Revision{}) {
		return nil
	}
	known := r.last
	if err := r.learn(ctx); err != nil {
		return err
	}
	r.version = version
	// Where nothing was noted, the log was emptied, or something was written that no response shows.
	if r.last != known || known == (changeMark{}) || r.now == (library.Revision{}) {
		r.now = r.journal.At(r.epoch + "." + strconv.FormatInt(version, 36))
	}
	return nil
}

// learn notes in the journal what has changed since the last time. It may see more than what the version stands for;
// that is then not seen again.
func (r *revision) learn(ctx context.Context) error {
	rows, err := r.conn.QueryContext(ctx, newestChanges, r.last.seq)
	if err != nil {
		return err
	}
	defer rows.Close()
	var newest changeMark
	var subjects []string
	for all := false; rows.Next(); {
		var at changeMark
		var books string
		if err := rows.Scan(&at.seq, &at.mark, &books); err != nil {
			return err
		}
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
	if err := rows.Err(); err != nil {
		return err
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

// forget ends the connection after a failure.
func (r *revision) forget() {
	if r.conn != nil {
		r.conn.Raw(func(any) error { return driver.ErrBadConn })
		r.conn.Close()
		r.conn = nil
	}
}

// Close ends the connection.
func (r *revision) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	return r.db.Close()
}
