package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"example.org/library/internal/durable"
)

// folder is where the files are. Nobody else may read or change them.
type folder struct {
	path string       // "" if there is none: then nothing is in it
	warn func(string) // shows the person what was repaired
}

// errNoFolder is the error on machines without a folder for the person.
var errNoFolder = errors.New("there is no folder to remember a sign-in in: neither HOME nor LIBRARY_CONFIG_DIR is set")

func (f folder) file(name string) string { return filepath.Join(f.path, name) }

// prepare makes the folder, or makes sure that others cannot change its files.
func (f folder) prepare() error {
	if f.path == "" {
		return errNoFolder
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return fmt.Errorf("the folder for sign-ins cannot be made: %w", err)
	}
	return f.checkFolder()
}

func (f folder) checkFolder() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("the folder for sign-ins cannot be used: %w", err)
	}
	const othersWrite = 0o022
	if !hasModes || info.Mode().Perm()&othersWrite == 0 {
		return nil
	}
	// A folder with the sticky bit, such as /tmp, is shared on purpose.
	if info.Mode()&fs.ModeSticky != 0 || os.Chmod(f.path, info.Mode().Perm()&^othersWrite) != nil {
		return fmt.Errorf("others can write to %s; name a folder of your own in LIBRARY_CONFIG_DIR", f.path)
	}
	f.warn(fmt.Sprintf("Others could write to %s; that has been changed.", f.path))
	return nil
}

// read returns the content of a file, nil if there is none. It repairs files readable by others
// and refuses foreign ones.
func (f folder) read(name string) ([]byte, error) {
	if f.path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(f.file(name), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would make us wait
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("a sign-in cannot be read: %w", err)
	}
	defer file.Close()
	if err := f.checkFile(file); err != nil {
		return nil, err
	}
	if err := f.checkFolder(); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("a sign-in cannot be read: %w", err)
	}
	if len(data) > maxFile {
		return nil, f.damaged(name, errors.New("it is too large"))
	}
	return data, nil
}

func (f folder) checkFile(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("a sign-in cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file; delete it and sign in again with 'library login'", file.Name())
	}
	if belongsToAnother(info) {
		return fmt.Errorf("%s belongs to somebody else; delete it and sign in again with 'library login'", file.Name())
	}
	const others = 0o077
	if !hasModes || info.Mode().Perm()&others == 0 {
		return nil
	}
	if err := file.Chmod(info.Mode().Perm() &^ others); err != nil {
		return fmt.Errorf("others can read %s, and that cannot be changed: %w", file.Name(), err)
	}
	f.warn(fmt.Sprintf("Others could read %s; that has been changed.", file.Name()))
	return nil
}

// damaged returns the error for an unreadable file, with a remedy.
func (f folder) damaged(name string, why error) error {
	return fmt.Errorf("%s is damaged: %w. Move it away and sign in again with 'library login'", f.file(name), why)
}

// write replaces a file. A reader sees the whole of the old one or the whole of the new
// one, also after a power failure.
func (f folder) write(name string, data []byte) error {
	if err := durable.Replace(f.file(name), data); err != nil {
		return fmt.Errorf("a sign-in cannot be stored: %w", err)
	}
	return nil
}

// parsed returns the parsed content of a file, the zero value if there is none.
func parsed[T any](f folder, name string, parse func([]byte) (T, error)) (value T, err error) {
	data, err := f.read(name)
	if err != nil || data == nil {
		return value, err
	}
	if value, err = parse(data); err != nil {
		return value, f.damaged(name, err)
	}
	return value, nil
}

// edit replaces a file by the result of change. Nobody else changes it meanwhile.
func (f folder) edit(ctx context.Context, name string, change func() ([]byte, error)) error {
	unlock, err := f.lock(ctx, filesLock)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := change()
	if err != nil {
		return err
	}
	return f.write(name, data)
}

// Locks. A command in need of both takes the server's first.
const filesLock = "files.lock" // for changing the files

// renewalLock is held while the token of a server is renewed or replaced.
func renewalLock(address string) string {
	sum := sha256.Sum256([]byte(address))
	return "renewal-" + hex.EncodeToString(sum[:8]) + ".lock"
}

const (
	lockTimeout = 15 * time.Second // a renewal takes 10 s at most
	lockPause   = 10 * time.Millisecond
)

// errBusy means that another process holds a lock for longer than anything takes.
var errBusy = errors.New("another library command is at work on the sign-in and does not come to an end; try again, or end it")

// lock waits for the lock with the name. One caller at a time has it, in this process and in all
// others. The system releases the lock of a process that ends, however it ends. The file stays: if
// it were deleted, two callers could have a lock on two files of the same name.
func (f folder) lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := f.prepare(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.file(name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("a sign-in cannot be locked: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockTimeout, errBusy)
	defer cancel()
	for pause := time.Duration(0); ; pause = lockPause {
		select {
		case <-ctx.Done():
			file.Close()
			return nil, waitError(ctx)
		case <-time.After(pause):
		}
		switch locked, err := tryLock(file); {
		case locked:
			return func() { file.Close() }, nil
		case err != nil:
			file.Close()
			return nil, fmt.Errorf("%s cannot be locked (%w); name a folder on a disk of this machine in LIBRARY_CONFIG_DIR", file.Name(), err)
		}
	}
}

// waitError says why the wait has ended.
func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errBusy // also if the deadline was the caller's
	}
	return ctx.Err()
}
