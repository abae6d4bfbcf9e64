//go:build !linux

package sqlstore

// isDiskSuspect is known on Linux only. Elsewhere a write has to fail first.
func isDiskSuspect(string) bool { return false }
