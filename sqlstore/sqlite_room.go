package sqlstore

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const diskIsFull = "the disk with the database file is full; make room on it"

// roomForChanges is what a few changes need, in bytes.
const roomForChanges = 128 << 10

// hasRoom finds out whether the disk has room for changes, by writing as much
// beside the database. SQLite's own files may have some room left inside, so that
// a small write tells nothing. What else is wrong, a write to the database
// will tell.
func hasRoom(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".room-*")
	if err == nil {
		_, err = f.Write(make([]byte, roomForChanges))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if errors.Is(err, syscall.ENOSPC) {
		return errors.New(diskIsFull)
	}
	return nil
}
