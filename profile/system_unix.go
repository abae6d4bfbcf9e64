//go:build unix

package profile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hasModes means that permission bits decide about access to a file.
const hasModes = true

func belongsToAnother(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) != os.Geteuid() && owner.Uid != 0
}

// tryLock locks a file until it is closed. It reports false if another process has it.
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
