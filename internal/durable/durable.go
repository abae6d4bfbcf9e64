// Package durable writes files to outlast a power failure.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Replace writes a file readable by its owner alone. A reader sees the whole of the
// old one or the whole of the new one, also after a power failure.
func Replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	temporary, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // has mode 0600 from its first moment
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // fails once it was renamed
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return SyncFolder(dir)
}

// SyncFolder writes the names in a folder to the disk, where the system can.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // has no such thing; NTFS keeps a journal of names
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // not every file system can
	}
	return errors.Join(err, folder.Close())
}
