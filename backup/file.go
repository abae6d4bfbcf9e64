package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"example.org/library/internal/durable"
)

// syncFile makes a file readable for its owner alone, and writes it to the disk.
func syncFile(path string) error {
	if err := os.Chmod(path, 0o600); err != nil {
		return describe("set the rights of the file", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return describe("write the file to the disk", err)
	}
	return describe("write the file to the disk", errors.Join(f.Sync(), f.Close()))
}

// syncFolder writes the names in a folder to the disk.
func syncFolder(path string) error {
	return describe("write the folder to the disk", durable.SyncFolder(path))
}

// describe explains the usual failures of files.
func describe(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s: the disk is full: %w", doing, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this user may not do that: %w", doing, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the folder or file does not exist: %w", doing, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
