package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library"
)

// pragmas are those of every connection; they travel in its address, because a
// pool opens connections whenever it likes.
var pragmas = []string{
	"busy_timeout(2500)", // other programs may be writing; callers get an answer within three seconds
	"foreign_keys(1)",
	"synchronous(FULL)", // a commit survives a power cut
	"secure_delete(1)",  // what is deleted is overwritten: people who were removed are not to be found in the file
	"temp_store(MEMORY)",
	"cache_size(-16384)", // KiB, for each connection
}

// openSQLite opens two pools. Writers queue for the one connection that writes,
// in Go, where waiting costs nothing, instead of polling for the lock of the
// file. Readers are never in their way, nor they in the readers'.
func openSQLite(ctx context.Context, path string) (*Store, error) {
	path, err := sqlitePath(path)
	if err != nil {
		return nil, err
	}
	isNew, opened, err := findFile(path)
	if err != nil {
		return nil, err
	}
	// SQLite keeps its other files beside the file itself, not beside a link.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("find the database file: %w", err)
	}
	if !isWritable(path) || !isWritable(filepath.Dir(path)) {
		return nil, describeFile(path, fs.ErrPermission)
	}
	if !isNew {
		if err := checkOurs(ctx, path); err != nil {
			return nil, err
		}
	}
	s := &Store{dialect: sqliteDialect(), intact: func() error { return sameFile(path, opened) }}
	s.isSuspect = func() bool { return isDiskSuspect(path) }
	s.hasRoom = func(context.Context) error { return hasRoom(path) }
	s.write = s.localPool(sqliteDSN(path, "_txlock=immediate", "_pragma=journal_size_limit(67108864)"), 1)
	s.batches = &batcher{dialect: &s.dialect, db: s.write.DB}
	readers := sqliteDSN(path, "_pragma=query_only(1)")
	s.read = s.localPool(readers, min(2+2*runtime.GOMAXPROCS(0), 16))
	s.tryLock = func(ctx context.Context, l library.Lock) (func(), error) { return tryLockSQLite(ctx, path, l) }
	s.revisions, s.quiet = newSQLiteRevision(path, readers), &quietPlaces{}
	s.checkpoints = newCheckpointer(sqliteDSN(path), s.doubt)
	s.afterMigration = func(ctx context.Context) error { return s.settleSQLite(ctx, path) }
	if isNew {
		return s, nil // the first migration is what puts something into it
	}
	if err := s.keepLog(ctx, path); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) localPool(dsn string, size int) *pool {
	return &pool{DB: openNoticed(dsn, size, s.damage.notice), diagnose: s.dialect.diagnose}
}

func openPool(dsn string, size int) *sql.DB { return openNoticed(dsn, size, nil) }

// openNoticed has somebody hear of every error.
func openNoticed(dsn string, size int, notice func(error)) *sql.DB {
	db := sql.OpenDB(stmtCacheConnector{dsn, notice})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// keepLog puts the file into the mode with a write-ahead log, in which readers
// and the writer are not in each other's way.
func (s *Store) keepLog(ctx context.Context, path string) error {
	mode, err := startLog(ctx, s.write.DB)
	switch {
	case err != nil:
		return describeSQLite(ctx, path, err)
	case mode != "wal":
		return errors.New("the file system of the database file does not support SQLite's write-ahead log; " +
			"it may be a network drive: use a local one, or PostgreSQL")
	}
	return nil
}

// startLog tries until the file is in its journal mode. The first connections
// to a new file put it there, and SQLite does not let one wait while another
// does.
func startLog(ctx context.Context, db *sql.DB) (string, error) {
	deadline := time.Now().Add(lockPatience)
	for {
		var mode string
		err := db.QueryRowContext(ctx, `PRAGMA journal_mode(WAL)`).Scan(&mode)
		if sqliteCode(err) != sqlite3.SQLITE_BUSY || time.Now().After(deadline) || ctx.Err() != nil {
			return mode, err
		}
		time.Sleep(5*time.Millisecond + rand.N(20*time.Millisecond))
	}
}

// lockPatience is how long the start of a program waits for others that hold the
// file.
const lockPatience = 5 * time.Second
