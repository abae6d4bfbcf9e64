package clitest

import (
	"bytes"
	"io"
	"testing"

	"github.com/creack/pty"

	"example.org/library/internal/testkit"
)

// Typing runs a program for an admin at a terminal who types some text, and returns what is shown.
func (w *World) Typing(t *testing.T, p Program, typed string, args ...string) (code int, shown string) {
	t.Helper()
	keys, tty, err := pty.Open()
	testkit.NoError(t, err)
	defer keys.Close()
	var text bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(&text, keys) // fails when the terminal is closed
	}()
	testkit.NoError(t, testkit.Err(io.WriteString(keys, typed)))
	code = w.At(t, p, Admin, "library_admin", tty, args...)
	tty.Close()
	<-read
	return code, text.String()
}
