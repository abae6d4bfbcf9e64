//go:build unix

package httpserver

import "syscall"

// maxOpenFiles is how many files the system lets this process open.
func maxOpenFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1024
	}
	return uint64(limit.Cur)
}
