package bulk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/library/cli/command"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

// Open opens a file for reading and says what people call it.
func Open(ctx context.Context, a *command.App, path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(command.Interruptible{Ctx: ctx, In: a.Term.In}), "stdin", nil
	}
	name := terminal.Clean(path)
	file, err := command.OpenFile(ctx, path)
	if err != nil {
		return nil, "", explainPath(name, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file.Close()
		return nil, "", command.Fail(command.ExitFailed, "%s is a folder; name the file in it.", name)
	}
	return file, name, nil
}

// explainPath says why a file cannot be opened or written.
func explainPath(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return command.Fail(command.ExitFailed, "There is no file %s.", name)
	case errors.Is(err, fs.ErrPermission):
		return command.Fail(command.ExitFailed, "You may not open %s (%w).", name, fs.ErrPermission)
	}
	return command.Fail(command.ExitFailed, "%s: %w", name, WithoutPath(err))
}

// WithoutPath is an error about a file that does not name the file.
func WithoutPath(err error) error {
	if wrapped, is := errors.AsType[*fs.PathError](err); is {
		return wrapped.Err
	}
	return err
}

// CountRows goes once through a regular file, for the sake of a bar that knows
// its end; -1 if that cannot be, or nobody sees the bar.
func CountRows(a *command.App, in io.Reader, open func(io.Reader) (Source, error)) int {
	file, is := in.(*os.File)
	if !is || !a.Term.ShowsProgress() {
		return -1
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	defer file.Seek(0, io.SeekStart)
	rows, err := open(file)
	if err != nil {
		return -1
	}
	for n := 0; ; n++ {
		_, _, err := rows.Read()
		if _, bad := errors.AsType[*table.RowError](err); err != nil && !bad {
			return n
		}
	}
}
