//go:build unix

package sqlite

import (
	"io"
	"os"
	"syscall"
)

// IsWritable asks for the rights of this process, without opening anything: see creating.
func IsWritable(path string) bool {
	const readAndWrite = 4 | 2
	return syscall.Access(path, readAndWrite) == nil
}

// IsInUse reports whether another process has the file open as a database: with a write-ahead log, SQLite keeps a lock
// on these bytes as long as it is connected. Files in use by this process lose their locks: see creating.
func IsInUse(path string) (bool, error) {
	const pendingByte, sharedSize = 0x40000000, 512
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: pendingByte, Len: sharedSize}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil {
		return false, nil // a file system without locks shows nothing
	}
	return lock.Type != syscall.F_UNLCK, nil
}
