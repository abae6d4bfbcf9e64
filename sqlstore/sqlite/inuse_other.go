//go:build !unix

package sqlite

// IsInUse is not needed: a file that is open cannot be replaced there.
func IsInUse(string) (bool, error) { return false, nil }
