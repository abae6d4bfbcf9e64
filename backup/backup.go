// Package backup writes a library to a file, and brings it back from there.
//
//	Write    backup.go     one backup, while the library is in use
//	Restore  restore.go    the way back
//	Start    schedule.go   a backup at an interval; the newest are kept
//
// A backup is a file for other programs, too: of SQLite the database itself,
// compressed with gzip; of PostgreSQL the output of pg_dump. It gets its name when it is
// complete, checked and on disk, so every file with the name of a backup is one.
package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Source is the database, and the follower of the progress.
type Source struct {
	Database Database
	Progress Progress // nil for nobody
}

func (s Source) progress() Progress {
	if s.Progress == nil {
		return func(string, int64, int64) {}
	}
	return s.Progress
}

// Ending is how the names of these backups end.
func (s Source) Ending() string {
	if s.Database.IsPacked() {
		return s.Database.Ending()
	}
	return s.Database.Ending() + ".gz"
}

// Write makes a backup at path. It replaces an existing file only if it is forced to.
func Write(ctx context.Context, s Source, path string, force bool) error {
	return write(ctx, s, path, force, ".library-backup-*")
}

// write works in a folder beside the backup: what a killed program leaves behind is in there.
func write(ctx context.Context, s Source, path string, force bool, folder string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return describe("find the folder", err)
	}
	if err := mayWrite(path, force); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(path), folder)
	if err != nil {
		return describe("make a folder for the work", err)
	}
	defer os.RemoveAll(work)
	packed := filepath.Join(work, "backup")
	if err := s.pack(ctx, work, packed); err != nil {
		return err
	}
	if err := syncFile(packed); err != nil {
		return err
	}
	if err := mayWrite(path, force); err != nil { // it took a while
		return err
	}
	if err := os.Rename(packed, path); err != nil {
		return describe("give the backup its name", err)
	}
	return syncFolder(filepath.Dir(path))
}

// WriteTo writes a backup to a stream. The work is done in the folder for temporary files.
func WriteTo(ctx context.Context, s Source, out io.Writer) error {
	work, err := os.MkdirTemp("", ".library-backup-*")
	if err != nil {
		return describe("make a folder for the work", err)
	}
	defer os.RemoveAll(work)
	plain, began := filepath.Join(work, "copy"), time.Now()
	if err := s.Database.Dump(ctx, plain, s.progress()); err != nil {
		return err
	}
	return describe("write the backup", s.send(ctx, plain, began, out))
}

// pack makes a backup in a file of its own in a folder.
func (s Source) pack(ctx context.Context, work, packed string) error {
	if s.Database.IsPacked() {
		return s.Database.Dump(ctx, packed, s.progress())
	}
	plain, began := filepath.Join(work, "copy"), time.Now()
	if err := s.Database.Dump(ctx, plain, s.progress()); err != nil {
		return err
	}
	out, err := os.OpenFile(packed, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return describe("write the backup", err)
	}
	err = s.send(ctx, plain, began, out)
	return describe("write the backup", errors.Join(err, out.Close()))
}

// send writes a backup of a time to a stream, compressed if it is not yet.
func (s Source) send(ctx context.Context, plain string, at time.Time, out io.Writer) error {
	in, err := os.Open(plain)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	from := &meter{ctx: ctx, from: in, total: info.Size(), doing: "writing", progress: s.progress()}
	if s.Database.IsPacked() {
		_, err = io.Copy(out, from)
		return err
	}
	buffered := bufio.NewWriterSize(out, 256<<10)
	// The fastest level: the server needs the processor, too.
	packer, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
	if err != nil {
		return err
	}
	packer.Name, packer.ModTime = "library.db", at
	_, err = io.Copy(packer, from)
	return errors.Join(err, packer.Close(), buffered.Flush())
}

// meter is a reader that reports its progress, and stops when its context ends.
type meter struct {
	ctx         context.Context
	from        io.Reader
	done, total int64 // in bytes
	doing       string
	progress    Progress
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.from.Read(p)
	m.done += int64(n)
	m.progress(m.doing, m.done, m.total)
	return n, err
}

// mayWrite says why there cannot be a backup at path.
func mayWrite(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hasFolder(path)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%q is not a folder", filepath.Dir(path))
	case err != nil:
		return describe("look at the file", err)
	case info.IsDir():
		return fmt.Errorf("%q is a folder; name a file in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a file; write to standard output with -", path)
	case !force:
		return fmt.Errorf("%q already exists; choose another name, or replace it with --force", path)
	}
	return nil
}

// hasFolder returns an error unless the folder of a file is there.
func hasFolder(path string) error {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %q does not exist; create it first", folder)
	}
	return nil
}
