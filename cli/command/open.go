package command

import (
	"context"
	"io"
	"os"
)

// OpenFile opens a file that a person has named. It need not be one on a disk:
// a pipe can keep who opens it waiting, and who reads it, so an interruption
// waits for neither. Only a regular file is returned as it is.
func OpenFile(ctx context.Context, path string) (io.ReadCloser, error) {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() || info.IsDir() {
		return os.Open(path)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(path)
		done <- opened{file, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, got.err
		}
		return interruptibleFile{Interruptible{ctx, got.file}, got.file}, nil
	case <-ctx.Done(): // the goroutine waits until the program ends
		return nil, ctx.Err()
	}
}

// interruptibleFile is a file that nobody has to wait for.
type interruptibleFile struct {
	Interruptible
	io.Closer
}

// Interruptible is a stream that is not waited for after an interruption.
type Interruptible struct {
	Ctx context.Context
	In  io.Reader
}

func (r Interruptible) Read(p []byte) (int, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := r.In.Read(text)
		done <- read{text[:n], err}
	}()
	select {
	case got := <-done:
		return copy(p, got.text), got.err
	case <-r.Ctx.Done():
		return 0, r.Ctx.Err()
	}
}
