package testkit

import (
	"os"
	"syscall"
	"testing"
)

// MountDisk mounts a small disk on a folder until the test ends. Only root can.
func MountDisk(t testing.TB, dir, options string) string {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("a small disk cannot be mounted: %v", err)
		}
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}
