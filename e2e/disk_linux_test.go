package e2e

import (
	"testing"

	"example.org/library/internal/testkit"
)

// mountDisk mounts a disk of that size. Only root can; the store's own tests have
// a full disk that needs nobody in particular.
func mountDisk(t *testing.T, size string) string {
	t.Helper()
	return testkit.MountDisk(t, t.TempDir(), "size="+size)
}
