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
)

// Store keeps the library in a database. It is safe for use by many goroutines,
// and other programs may use the same database at the same time.
type Store struct {
	dialect dialect
	read    *pool
	write   *pool // the same as read where the database has many writers

	// doubtful is set when a write failed because of the database; isSuspect
	// reports other reasons to expect that one would. See Ping.
	doubtful  atomic.Bool
	isSuspect func() bool
	// hasRoom reports whether the disk has room for changes. A small write does
	// not tell: it may fit into the room that the files have inside.
	hasRoom func(context.Context) error

	// intact reports whether the database is still the one that was opened.
	intact func() error
	// turns are waited for where transactions run next to each other.
	turns    turns
	counting countings
	damage   damage // of a file
	// batches is set where transactions run one at a time.
	batches *batcher
	// groups is set where they run beside each other, standby where another server may
	// have to confirm what they commit.
	groups  *groups
	standby *standby
	// shared is set where several who read books save round trips together.
	shared *sharedBooks
	// checkpoints is set where there is a log to be moved into the file.
	checkpoints *checkpointer
	// migrationFiles replaces those of the program in tests.
	migrationFiles fs.FS
	// afterMigration is nil where there is nothing more to do.
	afterMigration func(context.Context) error
	// tryLock takes a lock until it is released or the program dies; nil if
	// somebody else has it.
	tryLock   func(context.Context, library.Lock) (release func(), err error)
	revisions revisions

	users  revcache.Cache[string, library.User]
	counts revcache.Cache[string, count]
	// quiet is set where the revision costs less than a statement.
	quiet *quietPlaces
	words wordStats
}

var _ library.Store = (*Store)(nil)

// Open connects to the database at an address such as sqlite:library.db or
// postgres://user@host/library. It creates a SQLite file that does not exist,
// but no schema: see [Store.Migrate].
func Open(ctx context.Context, address string) (*Store, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		return openSQLite(ctx, rest)
	case "postgres", "postgresql":
		return openPostgres(ctx, address)
	}
	return nil, errUnknownAddress
}

// CheckAddress says what is wrong with an address, as far as that can be seen
// without connecting.
func CheckAddress(address string) error {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		_, err := sqlitePath(rest)
		return err
	case "postgres", "postgresql":
		_, err := parsePostgres(address)
		return err
	}
	return errUnknownAddress
}

var errUnknownAddress = errors.New("the database address must be sqlite: and a file, such as sqlite:library.db, " +
	"or a postgres:// URL, such as postgres://user:password@host/library")

// Close ends all connections. It waits for statements that are running.
func (s *Store) Close() error {
	var err error
	if s.checkpoints != nil {
		err = s.checkpoints.Close()
	}
	err = errors.Join(err, s.read.Close())
	if s.write != s.read {
		err = errors.Join(err, s.write.Close())
	}
	return errors.Join(err, s.revisions.Close())
}

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
	if err := s.intact(); err != nil {
		return err
	}
	if s.batches != nil {
		if err := s.batches.isHeld(); err != nil {
			return dbError(ctx, "write", err)
		}
	}
	if err := s.damage.found(s.read.DB); err != nil {
		return dbError(ctx, "read", err)
	}
	ctx = library.WithStoreTimeout(ctx, readyPatience)
	isReadOnly, err := readOne(ctx, s.read, "ping", func(r row) (isReadOnly bool, err error) {
		var hasUsers, hasMore bool
		err = r.Scan(&hasUsers, &hasMore, &isReadOnly)
		return isReadOnly, err
	}, `SELECT EXISTS (SELECT 1 FROM users), `+allTables(s.dialect.name)+`, `+s.dialect.isReadOnly)
	if err == nil {
		_, err = s.revisions.current(ctx)
	}
	switch {
	case err != nil:
		return err
	case isReadOnly:
		return errors.New("the database is read-only; it may be a standby server")
	}
	if s.standby != nil {
		if err := s.standby.ready(ctx, s.doubtful.Load()); err != nil {
			return err
		}
	}
	switch {
	case !s.doubtful.Load() && !s.isSuspect():
		return nil
	}
	if err := s.hasRoom(ctx); err != nil {
		return err
	}
	err = s.write.persist(ctx, func(own context.Context) error {
		_, err := s.write.ExecContext(own, s.dialect.probe)
		return dbError(ctx, "try to write", err)
	})
	if err != nil {
		if s.standby != nil {
			s.standby.giveUp()
		}
		return err
	}
	s.doubtful.Store(false)
	return nil
}

// doubt remembers that something could not be written, because of the database
// and not because of what it was.
func (s *Store) doubt(err error) {
	if errors.Is(err, library.ErrUnavailable) {
		s.doubtful.Store(true)
	}
}

// MaxReaders is how many should read at once, so that there is a connection left
// for a short question, such as who is calling.
func (s *Store) MaxReaders() int { return max(s.read.Stats().MaxOpenConnections-2, 2) }

// Stats counts the connections, those for reading and writing together.
func (s *Store) Stats() sql.DBStats {
	sum := s.read.Stats()
	if s.write == s.read {
		return sum
	}
	w := s.write.Stats()
	sum.MaxOpenConnections += w.MaxOpenConnections
	sum.OpenConnections += w.OpenConnections
	sum.InUse += w.InUse
	sum.Idle += w.Idle
	sum.WaitCount += w.WaitCount
	sum.WaitDuration += w.WaitDuration
	sum.MaxIdleClosed += w.MaxIdleClosed
	sum.MaxIdleTimeClosed += w.MaxIdleTimeClosed
	sum.MaxLifetimeClosed += w.MaxLifetimeClosed
	return sum
}
