package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.org/library/sqlstore/outbox"
	"example.org/library/sqlstore/sqlite"
)

// MayReplace looks at the file, if there is one.
func (d sqliteDatabase) MayReplace(_ context.Context, force bool) error {
	path := d.target()
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return sqlite.DescribeFile(path, err)
	}
	if !folder.IsDir() || !sqlite.IsWritable(filepath.Dir(path)) {
		return sqlite.DescribeFile(path, fs.ErrPermission)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mayForget(leftBeside(path), force)
	case err != nil:
		return sqlite.DescribeFile(path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a file", path)
	}
	if inUse, err := sqlite.IsInUse(path); err != nil {
		return sqlite.DescribeFile(path, err)
	} else if inUse {
		return fmt.Errorf("another program is using the database file %q; stop the server first", path)
	}
	if !force {
		return errOccupied(fmt.Sprintf("the database file %q already exists", path))
	}
	return nil
}

// leftBeside returns the names of SQLite's remains beside a file.
func leftBeside(path string) (names []string) {
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Lstat(path + end); err == nil {
			names = append(names, path+end)
		}
	}
	return names
}

// mayForget refuses to delete the remains of a missing file: somebody may
// still find the file, and its last changes are in there.
func mayForget(left []string, force bool) error {
	if len(left) == 0 || force {
		return nil
	}
	return fmt.Errorf("there is no database file, but something of an older one is left: %s; it would be taken for a part of the "+
		"restored one: move it away, or have it deleted with --force", strings.Join(left, ", "))
}

// Replace puts a dump in the place of the file, with the owner and the rights of the old one. SQLite's files beside the
// old one go first: it would take an old log for a part of the new file.
func (d sqliteDatabase) Replace(ctx context.Context, file string, force bool) error {
	if err := d.MayReplace(ctx, force); err != nil {
		return err
	}
	if err := pauseMail(ctx, file); err != nil {
		return err
	}
	path := d.target()
	if old, err := os.Stat(path); err == nil {
		if err := giveLike(file, old, filepath.Dir(path)); err != nil {
			return err
		}
	}
	for _, left := range leftBeside(path) {
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return sqlite.DescribeFile(path, err)
		}
	}
	if err := os.Rename(file, path); err != nil {
		return fmt.Errorf("put the database file in its place: %w", err)
	}
	return nil
}

// pauseMail lets the mails of a restored library wait: it may be a copy of one at work.
func pauseMail(ctx context.Context, file string) error {
	db := sqlite.OpenPlain(sqlite.DSN(file, "_pragma=synchronous(full)"))
	defer db.Close()
	if _, err := db.ExecContext(ctx, outbox.Pause("outbox")); err != nil {
		return describeDump(ctx, "let mails wait", err)
	}
	return db.Close()
}
