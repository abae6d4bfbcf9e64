//go:build !linux

package sqlite

// isDiskSuspect is known on Linux only. Elsewhere a write has to fail first.
func isDiskSuspect(string) bool { return false }
