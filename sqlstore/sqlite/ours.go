package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"
)

// ApplicationID is in the header of our SQLite files: "Libr".
const ApplicationID = 0x4c696272

// findFile finds the file, or makes it, and reports whether it is new: it has no
// content, and no log beside it to put into it.
//
// A new file stays empty until the first migration is committed. So a file with
// content but no tables was never like this: it has lost something.
func findFile(path string) (isNew bool, info fs.FileInfo, err error) {
	target := path
	if t, err := filepath.EvalSymlinks(path); err == nil {
		target = t
	}
	_, err = os.Stat(target + "-wal") // first: another program may be making the file just now
	hasLog := !errors.Is(err, fs.ErrNotExist)
	info, err = createFile(path)
	return err == nil && !hasLog && info.Size() == 0, info, err
}

// CheckOurs explains why this program must not use a file. It changes nothing in it.
func CheckOurs(ctx context.Context, path string) error {
	db := openPool(DSN(path, "_pragma=query_only(1)", "mode="+inspectMode(path)), 1)
	defer db.Close()
	var id, tables int
	var hasVersions, hasBooks bool
	err := db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), count(*),
			coalesce(max(name = 'goose_db_version'), 0), coalesce(max(name = 'books'), 0)
		FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`).Scan(&id, &tables, &hasVersions, &hasBooks)
	switch {
	case err != nil:
		return describe(ctx, path, err)
	case tables == 0 && (id == 0 || id == ApplicationID):
		return fmt.Errorf("the database file %q is not new, but has no tables: it may be a copy that was made while a server "+
			"was running, without the file that ends in -wal beside it; stop the server and copy again, or name a file that "+
			"does not exist for a new library", path)
	case id == ApplicationID && hasVersions, id == 0 && hasVersions && (hasBooks || tables == 1):
		return nil
	}
	return fmt.Errorf("the database file %q belongs to another program, and was left as it is; name another file", path)
}

// inspectMode is how to look into a file without a change: SQLite puts a log that it finds into the file when it may
// write, and takes a log away that it has made itself only when it may.
func inspectMode(path string) string {
	for _, end := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + end); err == nil && info.Size() > 0 {
			return "ro"
		}
	}
	return "rw"
}

// describe explains why a file cannot be used for the first time.
func describe(ctx context.Context, path string, err error) error {
	switch Code(err) {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the database file %q is not a SQLite database, or is damaged; name another file, or put a backup in its place", path)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s: %w", DamagedFile(path), err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("this user may not read and write the database file %q and its folder: %w", path, err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("the database file %q is locked by another program, which may be bringing the schema up to date; "+
			"wait until it has finished, or stop it: %w", path, err)
	}
	return Error(ctx, "open database", err)
}

// FinishMigration marks the file as ours. It then has a write-ahead log, and nothing of the schema is only in there.
func (e *Engine) FinishMigration(ctx context.Context) error {
	var id int
	err := e.write.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id)
	if err == nil && id != ApplicationID {
		_, err = e.write.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, ApplicationID))
	}
	if err != nil {
		return describe(ctx, e.path, err)
	}
	if err := e.startLog(ctx); err != nil {
		return err
	}
	return e.checkpoints.run(ctx)
}
