package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"
)

// Locks. A command that needs both takes the one of the server first.
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

// errBusy says that another process holds a lock for longer than anything takes.
var errBusy = errors.New("another library command is at work on the sign-in and does not come to an end; try again, or end it")

// lock waits for the lock of that name, which one caller at a time has, in this process
// and in all others. The system releases the lock of a process that ends, however it
// ends. The file stays: if it were deleted, two callers could have a lock on two files
// of the same name.
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
