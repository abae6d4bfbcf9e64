//go:build linux || darwin

package backup

import (
	"fmt"
	"syscall"
)

// hasFreeSpace says when a disk cannot take size bytes. -1 is not known.
func hasFreeSpace(folder string, size int64) error {
	var disk syscall.Statfs_t
	if size < 0 || syscall.Statfs(folder, &disk) != nil || disk.Blocks == 0 {
		return nil
	}
	if free := disk.Bavail * uint64(disk.Bsize); uint64(size) > free {
		return fmt.Errorf("the disk of %q has %d MB left, and the database in this backup needs %d MB", folder, free>>20, size>>20)
	}
	return nil
}
