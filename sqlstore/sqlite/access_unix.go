//go:build unix

package sqlite

import "syscall"

// IsWritable asks for the rights of this process, without opening anything: see
// creating.
func IsWritable(path string) bool {
	const readAndWrite = 4 | 2
	return syscall.Access(path, readAndWrite) == nil
}
