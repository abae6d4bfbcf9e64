package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const diskIsFull = "the disk with the database file is full; make room on it"

// spaceForChanges is the space for a few changes, in bytes.
const spaceForChanges = 128 << 10

// hasFreeSpace finds out whether the disk has space for changes, by writing as much beside the database. SQLite's own
// files may have some left inside, so a small write would succeed on a full disk. Other faults are found by a write to
// the database.
func hasFreeSpace(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".room-*")
	if err == nil {
		_, err = f.Write(make([]byte, spaceForChanges))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if errors.Is(err, syscall.ENOSPC) {
		return errors.New(diskIsFull)
	}
	return nil
}
