package sqlite

import "syscall"

// isDiskSuspect reports whether a write to the file system may fail: it is
// read-only, or little space is left. Only a write shows it for sure.
func isDiskSuspect(path string) bool {
	const readOnly, little = 1, 1 << 20
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return true
	}
	return fs.Flags&readOnly != 0 || fs.Blocks > 0 && fs.Bavail*uint64(fs.Bsize) < little
}
