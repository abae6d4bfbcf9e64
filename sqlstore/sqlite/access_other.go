//go:build !unix

package sqlite

// IsWritable is known on Unix only. Elsewhere SQLite finds out.
func IsWritable(string) bool { return true }
