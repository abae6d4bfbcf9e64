package profile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// hasModes is false: Windows has access control lists instead of permission bits. A new file
// inherits its folder's list, and the folder for settings of a person is readable for that person
// and administrators. If LIBRARY_CONFIG_DIR names another folder, its list is not checked.
const hasModes = false

func belongsToAnother(fs.FileInfo) bool { return false }

// tryLock locks a file until it is closed. It reports false if another process has it.
func tryLock(file *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
