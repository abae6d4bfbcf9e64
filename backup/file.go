package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
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
	if runtime.GOOS == "windows" {
		return nil // has no such thing; NTFS keeps a journal of names
	}
	d, err := os.Open(path)
	if err != nil {
		return describe("write the folder to the disk", err)
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // not every file system can
	}
	return describe("write the folder to the disk", err)
}

// describe says what a person can do about the usual failures of files.
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
