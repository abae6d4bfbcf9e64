package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.org/library"
)

// Clean removes the traces of what was deleted from a file of programs that did
// not overwrite it, and reports whether it did. That happens once to a file, and
// takes as long as to copy it; meanwhile others can read it, and wait to write.
// What it could not do is left for the next time: nothing depends on it.
func (s *Store) Clean(ctx context.Context) (bool, error) {
	if s.clean == nil {
		return false, nil
	}
	return s.clean(ctx)
}

const hasTraces = `SELECT EXISTS (SELECT 1 FROM traces WHERE maybe = 1)`

func (s *Store) cleanSQLite(ctx context.Context, path string) (bool, error) {
	maybe, err := readOne(ctx, s.read, "look for traces", scanBool, hasTraces)
	if err != nil || !maybe {
		return false, err
	}
	isDone := false
	_, err = s.Alone(ctx, library.CleaningLock, func(ctx context.Context) error {
		// Somebody else may just have done it.
		if maybe, err = readOne(ctx, s.read, "look for traces", scanBool, hasTraces); err != nil || !maybe {
			return err
		}
		if err := rewriteFile(ctx, path); err != nil {
			return describeSQLite(ctx, path, err)
		}
		_, err := s.write.ExecContext(ctx, `UPDATE traces SET maybe = 0`)
		isDone = err == nil
		return dbError(ctx, "note that the file is clean", errors.Join(err, s.checkpoints.run(ctx)))
	})
	return isDone, err
}

// rewriteFile writes all that is in a file anew, in one transaction. SQLite needs
// room for it twice: in a temporary file, and in its log.
func rewriteFile(ctx context.Context, path string) error {
	file, err := os.Stat(path)
	if err != nil {
		return err
	}
	if lacksRoom(path, 2*file.Size()) {
		return fmt.Errorf("there is no room to write the file anew; that takes %d MB", 2*file.Size()>>20)
	}
	db := openPlain(sqliteDSN(path))
	defer db.Close()
	if _, err := db.ExecContext(ctx, `PRAGMA temp_store = FILE`); err != nil { // it may be large
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM`)
	return err
}
