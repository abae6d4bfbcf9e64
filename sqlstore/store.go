package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strings"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
	"example.org/library/sqlstore/finding"
	"example.org/library/sqlstore/outbox"
	"example.org/library/sqlstore/postgres"
	"example.org/library/sqlstore/sqlite"
)

// Store keeps the library in a database. It is safe for use by many goroutines,
// and other programs may use the same database at the same time.
type Store struct {
	*outbox.Store
	*finding.Catalogue
	db      engine.Engine
	dialect *engine.Dialect // of db
	books   bookReader

	users    revcache.Cache[string, library.User] // by e-mail address
	subjects revcache.Cache[string, library.User] // by the subject to whom they are tied
	counts   *finding.Counts
	quiet    quietPlaces

	migrationFiles fs.FS // instead of those of the program, in tests
}

var _ library.Store = (*Store)(nil)

// Open connects to the database at an address such as sqlite:library.db or
// postgres://user@host/library. It creates a SQLite file that does not exist,
// but no schema: see [Store.Migrate].
func Open(ctx context.Context, address string) (*Store, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		db, err := sqlite.Open(ctx, rest)
		if err != nil {
			return nil, err
		}
		return newStore(db, db.Dialect(), bookByBook{db}), nil
	case "postgres", "postgresql":
		db, err := postgres.Open(ctx, address, new(groups).load)
		if err != nil {
			return nil, err
		}
		return newStore(db, db.Dialect(), newCoalescedBooks(db)), nil
	}
	return nil, ErrUnknownAddress
}

func newStore(db engine.Engine, dialect *engine.Dialect, books bookReader) *Store {
	s := &Store{Store: outbox.New(db), db: db, dialect: dialect, books: books, counts: finding.NewCounts(db)}
	s.Catalogue = finding.New(db, s.counts, s.bookRecords(), s.unseenTx)
	return s
}

// CheckAddress says what is wrong with an address, as far as that can be seen
// without connecting.
func CheckAddress(address string) error {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		_, err := sqlite.Path(rest)
		return err
	case "postgres", "postgresql":
		_, err := postgres.ParseAddress(address)
		return err
	}
	return ErrUnknownAddress
}

// ErrUnknownAddress means that an address is of neither database.
var ErrUnknownAddress = errors.New("the database address must be sqlite: and a file, such as sqlite:library.db, " +
	"or a postgres:// URL, such as postgres://user:password@host/library")

// IsAbsent reports whether an error means that a database server is not there
// or cannot be used now, and may be later although nobody changes a setting. A
// file is there, or its name is wrong; but another program may have locked it.
func IsAbsent(err error) bool {
	if sqlite.Code(err) != 0 {
		return sqlite.IsHeld(err)
	}
	return postgres.IsAbsent(err)
}

// Close ends all connections. It waits for statements that are running.
func (s *Store) Close() error { return s.db.Close() }

// allTables reads nothing, and fails if a table is not there or may not be read.
func allTables(dialect string) string {
	var each []string
	for _, t := range libraryTables {
		if t.only == "" || t.only == dialect {
			each = append(each, `EXISTS (SELECT 1 FROM `+t.name+` WHERE 1 = 0)`)
		}
	}
	return strings.Join(each, ` OR `)
}

// Ping reports whether the store can answer now, and take what is written. It
// writes only if there is a reason to doubt that it can.
func (s *Store) Ping(ctx context.Context) error {
	return s.db.Ready(ctx, `SELECT EXISTS (SELECT 1 FROM users), `+allTables(s.dialect.Name))
}

// Waiting is a transaction for whose end the events of the library wait.
type Waiting = engine.Waiting

// EventsWaitFor is what keeps changes that have happened from being published; nothing
// if they are published at once.
func (s *Store) EventsWaitFor(ctx context.Context) (Waiting, error) { return s.db.EventsWaitFor(ctx) }

// Revision is the state of the database now.
func (s *Store) Revision(ctx context.Context) (library.Revision, error) { return s.db.Revision(ctx) }

// MaxReads is how many should read at once, so that there is a connection left
// for a short question, such as who is calling.
func (s *Store) MaxReads() int { return s.db.MaxReads() }

// Stats counts the connections, those for reading and writing together.
func (s *Store) Stats() sql.DBStats { return s.db.Stats() }
