//go:build unix

package clitest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Fifo is a file that nothing comes from. If somebody writes, they have opened
// it and are silent.
func Fifo(t *testing.T, written bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if written {
		writer, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { writer.Close() })
	}
	return path
}
