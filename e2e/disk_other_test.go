//go:build !linux

package e2e

import "testing"

func mountDisk(t *testing.T, _ string) string {
	t.Helper()
	t.Skip("a disk can be mounted on Linux only")
	return ""
}
