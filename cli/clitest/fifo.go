//go:build unix

package clitest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"example.org/library/internal/testkit"
)

// Fifo is a file that nothing comes from. If somebody writes, they have opened it and are silent.
func Fifo(t *testing.T, written bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	testkit.NoError(t, syscall.Mkfifo(path, 0o600))
	if written {
		writer, err := os.OpenFile(path, os.O_RDWR, 0)
		testkit.NoError(t, err)
		t.Cleanup(func() { writer.Close() })
	}
	return path
}
