//go:build !unix

package sqlstore

// isInUse is not asked: a file that is open cannot be replaced there.
func isInUse(string) (bool, error) { return false, nil }
