// Package sqlite is the library's database in a SQLite file: the parts that this
// database alone needs. It implements [engine.Engine].
//
// Start reading at [Open]. The file itself is in file.go and ours.go, transactions and
// how several of them are committed at once in tx.go and batch.go, how triggers tell them
// from changes by hand in publishing.go, what has changed since somebody looked in revision.go, the write-ahead log in checkpoint.go. A file
// with damage is in damage.go, a full disk in space.go.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library/sqlstore/engine"
)

// pragmas are the settings of every connection; they travel in its address, because a
// pool opens connections whenever it likes.
var pragmas = []string{
	"busy_timeout(2500)", // other programs may be writing; callers get an answer within three seconds
	"foreign_keys(1)",
	"synchronous(FULL)", // a commit survives a power cut
	"secure_delete(1)",  // what is deleted is overwritten: people who were removed are not to be found in the file
	"temp_store(MEMORY)",
	"cache_size(-16384)", // KiB, for each connection
	// Of a new file, and of a backup. A loan changes a few bytes of some twenty pages, and
	// all of each is written to the log.
	"page_size(1024)",
}

// Engine is a database in a file.
type Engine struct {
	path        string
	opened      fs.FileInfo // the file as it was then: see sameFile
	read, write *sql.DB     // write is one connection
	batches     *batcher
	revision    *revision
	checkpoints *checkpointer
	damage      damage
	doubtful    atomic.Bool // a write has failed because of the database: see Ready
}

var _ engine.Engine = (*Engine)(nil)

// Open opens two pools. Writers queue for the one writing connection, in Go, where waiting costs nothing, instead of
// polling for the lock of the file. Reads and writes do not wait for each other.
func Open(ctx context.Context, path string) (*Engine, error) {
	path, err := Path(path)
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
	if !IsWritable(path) || !IsWritable(filepath.Dir(path)) {
		return nil, DescribeFile(path, fs.ErrPermission)
	}
	if !isNew {
		if err := CheckOurs(ctx, path); err != nil {
			return nil, err
		}
	}
	e := &Engine{path: path, opened: opened}
	writing, err := newPublishing(DSN(path, "_txlock=immediate", "_pragma=journal_size_limit(67108864)"))
	if err != nil {
		return nil, err
	}
	e.write = openNoticed(writing, 1, e.damage.notice)
	e.batches = &batcher{db: e.write, publishing: writing}
	readOnly := DSN(path, "_pragma=query_only(1)")
	e.read = openNoticed(plain(readOnly), min(2+2*runtime.GOMAXPROCS(0), 16), e.damage.notice)
	e.revision = newRevision(readOnly)
	e.checkpoints = newCheckpointer(DSN(path), e.doubt)
	if isNew {
		return e, nil // the first migration is what puts something into it
	}
	if err := e.startLog(ctx); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func openPool(dsn string, size int) *sql.DB { return openNoticed(plain(dsn), size, nil) }

// plain makes connections of the driver, without a cache of statements.
func plain(dsn string) driver.Connector {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		panic(err) // of a driver that does not know its own parameters
	}
	return connector
}

// OpenPlain opens a pool of one such connection.
func OpenPlain(dsn string) *sql.DB {
	db := sql.OpenDB(plain(dsn))
	db.SetMaxOpenConns(1)
	return db
}

// openNoticed passes every error on to notice.
func openNoticed(connector driver.Connector, size int, notice func(error)) *sql.DB {
	db := sql.OpenDB(stmtCacheConnector{connector, notice})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// startLog gives the file a write-ahead log: readers and the writer are not in each other's way.
func (e *Engine) startLog(ctx context.Context) error {
	mode, err := setLogMode(ctx, e.write)
	switch {
	case err != nil:
		return describe(ctx, e.path, err)
	case mode != "wal":
		return errors.New("the file system of the database file does not support SQLite's write-ahead log; " +
			"it may be a network drive: use a local one, or PostgreSQL")
	}
	return nil
}

// setLogMode tries until the file is in its journal mode. The first connections to a new file put it there, and SQLite
// does not let one wait while another does.
func setLogMode(ctx context.Context, db *sql.DB) (string, error) {
	deadline := time.Now().Add(lockTimeout)
	for {
		var mode string
		err := db.QueryRowContext(ctx, `PRAGMA journal_mode(WAL)`).Scan(&mode)
		if Code(err) != sqlite3.SQLITE_BUSY || time.Now().After(deadline) || ctx.Err() != nil {
			return mode, err
		}
		time.Sleep(5*time.Millisecond + rand.N(20*time.Millisecond))
	}
}

// lockTimeout is how long the start of a program waits for others that hold the file.
const lockTimeout = 5 * time.Second
