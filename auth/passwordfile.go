package auth

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// passwordFile is a password file that is read again when it has changed.
type passwordFile struct {
	path    string
	log     *slog.Logger
	now     func() time.Time
	content atomic.Pointer[passwords]

	mu    sync.Mutex // held while the file is looked at
	next  time.Time  // when to look again
	stamp stamp      // of the file when it was last read, good or bad
}

const (
	lookPause       = 3 * time.Second
	maxPasswordFile = 8 << 20
)

// stamp is different for different states of a file. The zero stamp is that of a
// file that is not there.
type stamp struct {
	modified time.Time
	size     int64
}

func openPasswordFile(cfg BasicConfig) (*passwordFile, error) {
	f := &passwordFile{path: cfg.Path, log: cfg.Logger, now: cfg.Now, next: cfg.Now().Add(lookPause)}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// current returns the passwords, read again if it was time to look and the
// file has changed. Those who come while somebody looks take the old ones.
func (f *passwordFile) current() *passwords {
	if f.mu.TryLock() {
		f.look()
		f.mu.Unlock()
	}
	return f.content.Load()
}

// look reads the file again if it has changed. If it cannot be used, that is
// logged and what was read before stays in force.
func (f *passwordFile) look() {
	now := f.now()
	if now.Before(f.next) {
		return
	}
	f.next = now.Add(lookPause)
	var seen stamp
	if info, err := os.Stat(f.path); err == nil {
		seen = stampOf(info)
	}
	if seen == f.stamp {
		return
	}
	if err := f.read(); err != nil {
		f.log.Error("password file not usable, the one before stays in force", "error", err)
		return
	}
	f.log.Info("password file read again", "logins", len(f.content.Load().accounts))
}

// Reload reads the password file again now. If it cannot be used, what was read
// before stays in force.
func (b *Basic) Reload() error {
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	return b.file.read()
}

func stampOf(info os.FileInfo) stamp { return stamp{modified: info.ModTime(), size: info.Size()} }

func (f *passwordFile) read() error {
	f.stamp = stamp{}
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	f.stamp = stampOf(info)
	data, err := io.ReadAll(io.LimitReader(file, maxPasswordFile+1))
	if err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	if len(data) > maxPasswordFile {
		return fmt.Errorf("password file %s: more than %d bytes", f.path, maxPasswordFile)
	}
	content, err := parsePasswords(data)
	if err != nil {
		return fmt.Errorf("password file %s: %w", f.path, err)
	}
	f.content.Store(content)
	return nil
}
