//go:build !unix

package sqlstore

// isWritable is known on Unix only. Elsewhere SQLite will tell.
func isWritable(string) bool { return true }
