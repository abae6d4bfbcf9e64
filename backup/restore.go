package backup

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Restore makes a database of a backup. Everything about the backup is checked
// before anything of the database is touched. An existing database is replaced only if
// that is forced. It returns from when the backup is, the zero time if it does not say.
func Restore(ctx context.Context, s Source, in io.Reader, force bool) (made time.Time, err error) {
	if err := s.Database.MayReplace(ctx, force); err != nil {
		return made, err
	}
	folder := s.Database.Folder()
	work, err := os.MkdirTemp(folder, ".library-restore-*")
	if err != nil {
		return made, describe("make a folder for the work", err)
	}
	defer os.RemoveAll(work)
	plain := filepath.Join(work, "copy")
	if made, err = s.unpack(ctx, in, plain); err != nil {
		return made, err
	}
	if err := s.Database.Check(ctx, plain, s.progress()); err != nil {
		return made, fmt.Errorf("this backup cannot be used: %w", err)
	}
	if made.IsZero() {
		made = s.Database.Made(ctx, plain)
	}
	return made, s.replace(ctx, plain, force)
}

// replace puts a checked dump in the place of the database.
func (s Source) replace(ctx context.Context, plain string, force bool) error {
	if err := syncFile(plain); err != nil {
		return err
	}
	s.progress()("restoring", 0, 0)
	if err := s.Database.Replace(ctx, plain, force); err != nil {
		return err
	}
	if folder := s.Database.Folder(); folder != "" {
		return syncFolder(folder)
	}
	return nil
}

// The beginnings of the files.
const (
	gzipMagic     = "\x1f\x8b"
	sqliteMagic   = "SQLite format 3\x00"
	postgresMagic = "PGDMP"
)

var (
	errCutOff  = errors.New("this backup is cut off: the end of it is missing")
	errDamaged = errors.New("this backup is damaged")
	errForeign = errors.New("this is not a backup of the library")
)

// unpack writes the content of a backup to a file, and returns when it was packed, if
// it says so. It writes no more than the beginning promises.
func (s Source) unpack(ctx context.Context, in io.Reader, plain string) (at time.Time, err error) {
	packed := bufio.NewReaderSize(in, 256<<10)
	head, err := packed.Peek(len(sqliteMagic))
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return at, errors.New("this backup is empty")
	}
	content := packed
	isGzip := string(head[:min(len(head), len(gzipMagic))]) == gzipMagic
	if isGzip {
		unpacker, err := gzip.NewReader(packed)
		if err != nil {
			return at, explain(err)
		}
		unpacker.Multistream(false)
		at = unpacker.ModTime
		content = bufio.NewReaderSize(unpacker, 256<<10)
	}
	size, err := s.sizeOf(content)
	if err != nil {
		return at, err
	}
	if err := hasFreeSpace(filepath.Dir(plain), size); err != nil {
		return at, err
	}
	if err := save(ctx, content, plain, size, s.progress()); err != nil {
		return at, err
	}
	if _, err := packed.Peek(1); isGzip && !errors.Is(err, io.EOF) {
		return at, fmt.Errorf("%w: something follows after its end", errDamaged)
	}
	return at, nil
}

// sizeOf finds the kind of a backup, and its length; -1 if it does not say.
func (s Source) sizeOf(content *bufio.Reader) (int64, error) {
	const header = 100 // of a SQLite file
	head, err := content.Peek(header)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, explain(err)
	}
	is := func(magic string) bool { return len(head) >= len(magic) && string(head[:len(magic)]) == magic }
	wantsPostgres := s.Database.IsPacked()
	switch {
	case is(postgresMagic) && wantsPostgres:
		return -1, nil
	case is(postgresMagic):
		return 0, errors.New("this is a backup of PostgreSQL; name a database such as --database postgres://USER@HOST/DATABASE")
	case is(sqliteMagic) && wantsPostgres:
		return 0, errors.New("this is a backup of SQLite; name a file such as --database sqlite:library.db")
	case !is(sqliteMagic):
		return 0, errForeign
	case len(head) < header:
		return 0, errCutOff
	}
	pageSize := int64(binary.BigEndian.Uint16(head[16:]))
	if pageSize == 1 {
		pageSize = 64 << 10
	}
	pages := int64(binary.BigEndian.Uint32(head[28:]))
	if pageSize < 512 || pages == 0 {
		return 0, errDamaged
	}
	return pageSize * pages, nil
}

// save writes size bytes to a file, or all there are if size is -1.
func save(ctx context.Context, content io.Reader, plain string, size int64, progress Progress) error {
	out, err := os.OpenFile(plain, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return describe("write the database", err)
	}
	defer out.Close()
	from := &meter{ctx: ctx, from: content, total: max(size, 0), doing: "unpacking", progress: progress}
	var bounded io.Reader = from
	if size >= 0 {
		bounded = io.LimitReader(from, size+1)
	}
	written, err := io.Copy(out, bounded)
	switch {
	case err != nil:
		return explain(err)
	case size >= 0 && written < size:
		return errCutOff
	case size >= 0 && written > size:
		return fmt.Errorf("%w: it is longer than it says", errDamaged)
	}
	return describe("write the database", out.Close())
}

// explain explains a failure to read.
func explain(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errCutOff
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return describe("read the backup", err)
}
