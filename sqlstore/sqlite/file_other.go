//go:build !unix

package sqlite

// IsWritable is known on Unix only. Elsewhere SQLite finds out.
func IsWritable(string) bool { return true }

// IsInUse is not needed: an open file cannot be replaced there.
func IsInUse(string) (bool, error) { return false, nil }
