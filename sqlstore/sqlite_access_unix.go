//go:build unix

package sqlstore

import "syscall"

// isWritable asks for the rights of this process, without opening anything: see
// creating.
func isWritable(path string) bool {
	const readAndWrite = 4 | 2
	return syscall.Access(path, readAndWrite) == nil
}
