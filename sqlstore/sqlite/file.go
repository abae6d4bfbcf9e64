package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Path returns the absolute path of the file in an address. Absolute, so
// no name can be taken for something else: SQLite knows names such as :memory:.
func Path(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the database address sqlite: names no file; write for example sqlite:library.db")
	case name == ":memory:":
		return "", errors.New("the library is kept in a file, not in memory; write for example sqlite:library.db")
	case strings.HasPrefix(name, "//") && !strings.HasPrefix(name, "///"):
		return "", errors.New("write sqlite:library.db for a file in the current folder, or sqlite:/path/library.db")
	case strings.ContainsRune(name, 0):
		return "", errors.New("the name of the database file contains a NUL character")
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("find the database file: %w", err)
	}
	return path, nil
}

// DSN is the address of a file for the driver: a URI, so that any character may be in the name.
func DSN(path string, params ...string) string {
	// Double quotes are for names alone, so that a wrong name is an error and not a text.
	query := append([]string{"_dqs=0", "_error_rc=1"}, params...)
	for _, p := range pragmas {
		query = append(query, "_pragma="+url.QueryEscape(p))
	}
	return "file:" + uriName(path) + "?" + strings.Join(query, "&")
}

// uriName is a path as it stands in a URI.
func uriName(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// creating is held while this program has a database file open without SQLite. To close a file is to drop all locks of
// the process on it, those of SQLite too; so nobody else may find a new file before it has been closed, and an existing
// one is never opened.
var creating sync.Mutex

// createFile makes sure that the file exists, readable by its owner alone: SQLite itself would let everybody read it.
// The files of SQLite beside it get the same mode.
func createFile(path string) (fs.FileInfo, error) {
	creating.Lock()
	defer creating.Unlock()
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%q is a directory; the database address must name a file in it", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return info, DescribeFile(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // another program was faster
		info, err := os.Stat(path)
		return info, DescribeFile(path, err)
	}
	if err != nil {
		return nil, DescribeFile(path, err)
	}
	defer f.Close()
	return f.Stat()
}

// DescribeFile explains why a file and its folder cannot be used.
func DescribeFile(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %q of the database file does not exist; create it first", filepath.Dir(path))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("this user may not read and write the database file %q and its folder", path)
	}
	return fmt.Errorf("open the database file: %w", err)
}

// sameFile is the guard against a file deleted or replaced while it
// was open: later changes would be lost, and nothing else would say so.
func sameFile(path string, opened fs.FileInfo) error {
	now, err := os.Stat(path)
	if err != nil {
		return engine.Wrap(fmt.Sprintf("the database file %q is gone; stop the server before it is moved or replaced", path), library.ErrUnavailable, err)
	}
	if !os.SameFile(now, opened) {
		return engine.Wrap("look at the database file", library.ErrUnavailable,
			fmt.Errorf("%q was replaced while it was open; restart the server", path))
	}
	return nil
}
