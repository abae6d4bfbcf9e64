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
	file, err := Await(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	return interruptibleFile{Interruptible{ctx, file}, file}, nil
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
	text, err := Await(r.Ctx, func() ([]byte, error) {
		text := make([]byte, len(p))
		n, err := r.In.Read(text)
		return text[:n], err
	})
	return copy(p, text), err
}

// Await does what may take forever, and goes on without it when the context ends.
func Await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done(): // the goroutine waits until the program ends
		var none T
		return none, ctx.Err()
	}
}
