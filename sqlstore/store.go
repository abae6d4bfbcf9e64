package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/booksearch"
	"example.org/library/sqlstore/engine"
	"example.org/library/sqlstore/outbox"
	"example.org/library/sqlstore/postgres"
	"example.org/library/sqlstore/sqlite"
)

// Store keeps the library in a database. It is safe for use by many goroutines,
// and other programs may use the same database at the same time.
type Store struct {
	*outbox.Store
	*booksearch.Catalogue
	db      engine.Engine
	dialect *engine.Dialect // of db

	users    revcache.Cache[string, library.User] // by e-mail address
	subjects revcache.Cache[string, library.User] // by the subject to whom they are tied
	counts   *booksearch.Counts

	unlimited atomic.Bool // the policy of the last loan had no limits for readers

	migrationFiles fs.FS // instead of those of the program, in tests
}

var _ library.Store = (*Store)(nil)

// Open connects to the database at an address such as sqlite:library.db or
// postgres://user@host/library. It creates a missing SQLite file,
// but no schema: see [Store.Migrate].
func Open(ctx context.Context, address string) (*Store, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		db, err := sqlite.Open(ctx, rest)
		if err != nil {
			return nil, err
		}
		return newStore(db, db.Dialect()), nil
	case "postgres", "postgresql":
		db, err := postgres.Open(ctx, address)
		if err != nil {
			return nil, err
		}
		return newStore(db, db.Dialect()), nil
	}
	return nil, ErrUnknownAddress
}

func newStore(db engine.Engine, dialect *engine.Dialect) *Store {
	s := &Store{Store: outbox.New(db), db: db, dialect: dialect, counts: booksearch.NewCounts(db)}
	s.Catalogue = booksearch.New(db, s.counts, s.bookRecords())
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

// ErrUnknownAddress means an address of neither database.
var ErrUnknownAddress = errors.New("the database address must be sqlite: and a file, such as sqlite:library.db, " +
	"or a postgres:// URL, such as postgres://user:password@host/library")

// IsAbsent reports whether, by an error, a database server is not there
// or cannot be used now, and may be later although nobody changes a setting. A
// file is there, or its name is wrong; but another program may have locked it.
func IsAbsent(err error) bool {
	if sqlite.Code(err) != 0 {
		return sqlite.IsHeld(err)
	}
	return postgres.IsAbsent(err)
}

// Close ends all connections, after the statements under way.
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

// Ping reports whether the store can answer now, and be written; library.ErrReadOnly
// if it cannot be written. It writes only after a doubt.
func (s *Store) Ping(ctx context.Context) error {
	return s.db.Ready(ctx, `SELECT EXISTS (SELECT 1 FROM users), `+allTables(s.dialect.Name))
}

// Waiting is a transaction that holds back events of the library.
type Waiting = engine.Waiting

// EventsWaitFor returns the transaction that holds back events; nothing
// if they are published at once.
func (s *Store) EventsWaitFor(ctx context.Context) (Waiting, error) { return s.db.EventsWaitFor(ctx) }

// Revision is the state of the database now.
func (s *Store) Revision(ctx context.Context) (library.Revision, error) { return s.db.Revision(ctx) }

// MaxReads returns how many should read at once, with a connection left
// for a short question about a caller.
func (s *Store) MaxReads() int { return s.db.MaxReads() }

// Stats counts all connections.
func (s *Store) Stats() sql.DBStats { return s.db.Stats() }
