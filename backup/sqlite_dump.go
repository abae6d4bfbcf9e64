package backup

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
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library/sqlstore"
	"example.org/library/sqlstore/sqlite"
)

// sqliteDatabase has SQLite files as dumps, without a log beside them.
type sqliteDatabase struct{ path string }

func (d sqliteDatabase) Describe() string { return fmt.Sprintf("the database file %q", d.target()) }
func (d sqliteDatabase) Ending() string   { return ".db" }
func (d sqliteDatabase) IsPacked() bool   { return false }
func (d sqliteDatabase) Folder() string   { return filepath.Dir(d.target()) }

// Made is not known: a SQLite file does not say when it was copied.
func (d sqliteDatabase) Made(context.Context, string) time.Time { return time.Time{} }

// target is the file itself where the address names a link to it.
func (d sqliteDatabase) target() string {
	if path, err := filepath.EvalSymlinks(d.path); err == nil {
		return path
	}
	return d.path
}

func (d sqliteDatabase) Dump(ctx context.Context, file string, progress Progress) error {
	path := d.target()
	// SQLite makes a missing file, and a dump of nothing is no backup.
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database file %q to copy", path)
	} else if err != nil {
		return sqlite.DescribeFile(path, err)
	}
	if err := sqlite.CheckOurs(ctx, path); err != nil {
		return err
	}
	err := d.dump(ctx, path, file, progress)
	if damage, ok := errors.AsType[*damagedDump](err); ok { // it is what the dump was made of that is damaged
		return fmt.Errorf("%s: %s", sqlite.DamagedFile(path), damage.found)
	}
	return ofDatabase(err)
}

func (d sqliteDatabase) dump(ctx context.Context, path, file string, progress Progress) error {
	if err := createDump(file); err != nil {
		return err
	}
	if err := copyInto(ctx, path, file, progress); err != nil {
		return describeDump(ctx, "copy the database", err)
	}
	if err := dropLeftOut(ctx, file); err != nil {
		return describeDump(ctx, "finish the copy", err)
	}
	return d.Check(ctx, file, progress)
}

// copyInto writes the whole database into an empty file, as of one moment, and nothing deleted. Writers go on; only
// their log is not cut until it ends.
func copyInto(ctx context.Context, path, file string, progress Progress) error {
	db := sqlite.OpenPlain(sqlite.DSN(path))
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

// watchFile reports how far a file has grown.
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

// dropLeftOut takes the rows of some tables out of a dump.
func dropLeftOut(ctx context.Context, file string) error {
	db := sqlite.OpenPlain(sqlite.DSN(file))
	defer db.Close()
	for _, table := range leftOut {
		var isThere bool // Check names a missing table
		err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1)`, table).Scan(&isThere)
		if err == nil && isThere {
			_, err = db.ExecContext(ctx, `DELETE FROM `+table)
		}
		if err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return db.Close()
}

// Check reads all of a dump. It does not change it, nor make files beside it.
func (d sqliteDatabase) Check(ctx context.Context, file string, progress Progress) error {
	progress("checking", 0, 0)
	db := sqlite.OpenPlain(sqlite.DSN(file, "_pragma=query_only(1)", "mode=ro", "immutable=1"))
	defer db.Close()
	tables, err := dumpedTables(ctx, db)
	if err != nil {
		return err
	}
	if err := checkIntegrity(ctx, db); err != nil {
		return err
	}
	version, err := dumpedNumber(ctx, db, `SELECT coalesce(max(version_id), 0) FROM `+goose.DefaultTablename)
	if err != nil {
		return err
	}
	return sqlstore.CheckDump("sqlite", version, func(table string) bool { return slices.Contains(tables, table) },
		func() (int64, error) {
			return dumpedNumber(ctx, db, `SELECT max(down_to) FROM `+sqlstore.CompatibilityTable)
		})
}

func dumpedNumber(ctx context.Context, db *sql.DB, text string) (n int64, err error) {
	if err := db.QueryRowContext(ctx, text).Scan(&n); err != nil {
		return 0, describeDump(ctx, "read the copy", err)
	}
	return n, nil
}

// dumpedTables returns the tables of our dump, by its mark; older programs set none.
func dumpedTables(ctx context.Context, db *sql.DB) (tables []string, err error) {
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
		return nil, describeDump(ctx, "read the copy", err)
	case id == sqlite.ApplicationID && has(goose.DefaultTablename), id == 0 && has(goose.DefaultTablename) && has("books"):
		return tables, nil
	}
	return nil, errForeignDump
}

func checkIntegrity(ctx context.Context, db *sql.DB) error {
	var found string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return describeDump(ctx, "check the copy", err)
	}
	if found != "ok" {
		return &damagedDump{complaint(found)}
	}
	var table, other any
	var row, key any
	err := db.QueryRowContext(ctx, `PRAGMA foreign_key_check`).Scan(&table, &row, &other, &key)
	switch {
	case err == nil:
		return &damagedDump{fmt.Sprintf("a record of %v belongs to one of %v that is not there", table, other)}
	case errors.Is(err, sql.ErrNoRows):
		return nil
	}
	return describeDump(ctx, "check the copy", err)
}

// complaint is what integrity_check has found, in one line and without the heading that names the database main.
func complaint(found string) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(found, "*** in database main ***")), " ")
}

// describeDump explains a fault of a dump, or of its disk.
func describeDump(ctx context.Context, doing string, err error) error {
	switch sqlite.Code(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: there is no room left on the disk for it: %w", doing, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return &damagedDump{err.Error()}
	}
	return sqlite.Error(ctx, doing, err)
}
