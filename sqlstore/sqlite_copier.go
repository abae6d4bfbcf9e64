package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteCopier makes copies that are SQLite files themselves, without a log
// beside them.
type sqliteCopier struct{ path string }

func (c sqliteCopier) Describe() string { return fmt.Sprintf("the database file %q", c.target()) }
func (c sqliteCopier) Ending() string   { return ".db" }
func (c sqliteCopier) IsPacked() bool   { return false }
func (c sqliteCopier) Folder() string   { return filepath.Dir(c.target()) }

// Made is not known: a SQLite file does not say when it was copied.
func (c sqliteCopier) Made(context.Context, string) time.Time { return time.Time{} }

// target is the file itself where the address names a link to it.
func (c sqliteCopier) target() string {
	if path, err := filepath.EvalSymlinks(c.path); err == nil {
		return path
	}
	return c.path
}

func (c sqliteCopier) Dump(ctx context.Context, file string, progress Progress) error {
	path := c.target()
	// SQLite makes a file that is not there, and a copy of nothing is no backup.
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database file %q to copy", path)
	} else if err != nil {
		return describeFile(path, err)
	}
	if err := checkOurs(ctx, path); err != nil {
		return err
	}
	err := c.dump(ctx, path, file, progress)
	var damage *damagedCopy
	if errors.As(err, &damage) { // it is what the copy was made of that is damaged
		return fmt.Errorf("%s: %s", damagedFile(path), damage.found)
	}
	return ofDatabase(err)
}

func (c sqliteCopier) dump(ctx context.Context, path, file string, progress Progress) error {
	if err := createCopy(file); err != nil {
		return err
	}
	if err := copyInto(ctx, path, file, progress); err != nil {
		return describeCopy(ctx, "copy the database", err)
	}
	if err := dropKeptAnswers(ctx, file); err != nil {
		return describeCopy(ctx, "finish the copy", err)
	}
	return c.Check(ctx, file, progress)
}

// copyInto writes all that is in the database into an empty file, as of one
// moment, and nothing of what was deleted. Writers go on; only their log is not
// cut until it ends.
func copyInto(ctx context.Context, path, file string, progress Progress) error {
	db := openPlain(sqliteDSN(path))
	defer db.Close()
	var total int64
	err := db.QueryRowContext(ctx, `SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)`).Scan(&total)
	if err != nil {
		return err
	}
	var watching sync.WaitGroup
	defer watching.Wait()
	watched, done := context.WithCancel(ctx)
	defer done()
	watching.Go(func() { watchFile(watched, file, total, progress) })
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, file)
	return errors.Join(err, ctx.Err())
}

// watchFile tells how far a file has grown.
func watchFile(ctx context.Context, file string, total int64, progress Progress) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if info, err := os.Stat(file); err == nil {
			progress("copying", min(info.Size(), total), total)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// dropKeptAnswers takes the answers that are kept for a day out of a copy. They name people,
// and nobody repeats a request after a restore.
func dropKeptAnswers(ctx context.Context, file string) error {
	db := openPlain(sqliteDSN(file))
	defer db.Close()
	var isThere bool // not in a library that is older than the first version
	err := db.QueryRowContext(ctx, sqliteDialect().hasTable, "idempotency_keys").Scan(&isThere)
	if err == nil && isThere {
		_, err = db.ExecContext(ctx, `DELETE FROM idempotency_keys`)
	}
	return errors.Join(err, db.Close())
}

// openPlain opens a pool of one connection, which is the driver's own.
func openPlain(dsn string) *sql.DB {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		panic(err) // of a driver that does not know its own parameters
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db
}

// Check reads all of a copy. It does not change it, nor make files beside it.
func (c sqliteCopier) Check(ctx context.Context, file string, progress Progress) error {
	progress("checking", 0, 0)
	db := openPlain(sqliteDSN(file, "_pragma=query_only(1)", "mode=ro", "immutable=1"))
	defer db.Close()
	tables, err := copiedTables(ctx, db)
	if err != nil {
		return err
	}
	if err := checkIntegrity(ctx, db); err != nil {
		return err
	}
	dialect := sqliteDialect()
	copied := &Store{dialect: dialect, write: &pool{DB: db, diagnose: dialect.diagnose}}
	version, err := copied.schemaVersion(ctx)
	if err != nil {
		return describeCopy(ctx, "read the copy", err)
	}
	if err := checkTables(dialect.name, version, func(table string) bool { return slices.Contains(tables, table) }); err != nil {
		return err
	}
	return checkCopiedSchema(dialect.name, version, func() (int64, error) { return copied.compatibleDownTo(ctx) })
}

// copiedTables are the tables of a copy that is ours, by its mark; older programs
// set none.
func copiedTables(ctx context.Context, db *sql.DB) (tables []string, err error) {
	var id int
	var names string
	err = db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT json_group_array(name) FROM sqlite_schema WHERE type = 'table')`).Scan(&id, &names)
	if err == nil {
		err = json.Unmarshal([]byte(names), &tables)
	}
	has := func(table string) bool { return slices.Contains(tables, table) }
	switch {
	case err != nil:
		return nil, describeCopy(ctx, "read the copy", err)
	case id == applicationID && has(goose.DefaultTablename), id == 0 && has(goose.DefaultTablename) && has("books"):
		return tables, nil
	}
	return nil, errForeignCopy
}

var errForeignCopy = errors.New("it is a database of another program, not of this one")

// damagedCopy is a copy that has lost something.
type damagedCopy struct{ found string }

func (e *damagedCopy) Error() string { return "it is damaged (" + e.found + ")" }

func checkIntegrity(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return describeCopy(ctx, "check the copy", err)
	}
	if found != "ok" {
		return &damagedCopy{complaint(found)}
	}
	var table, other any
	var row, key any
	err := db.QueryRowContext(ctx, `PRAGMA foreign_key_check`).Scan(&table, &row, &other, &key)
	switch {
	case err == nil:
		return &damagedCopy{fmt.Sprintf("a record of %v belongs to one of %v that is not there", table, other)}
	case errors.Is(err, sql.ErrNoRows):
		return nil
	}
	return describeCopy(ctx, "check the copy", err)
}

// complaint is what integrity_check has found, in one line and without the heading
// that names the database main.
func complaint(found string) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(found, "*** in database main ***")), " ")
}

// describeCopy says what is wrong with a copy, or with the disk that it is on.
func describeCopy(ctx context.Context, doing string, err error) error {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: there is no room left on the disk for it: %w", doing, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return &damagedCopy{err.Error()}
	}
	return dbError(ctx, doing, err)
}
