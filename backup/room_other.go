//go:build !linux && !darwin

package backup

// hasRoom leaves it to the disk to say that it is full.
func hasRoom(string, int64) error { return nil }
