package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// serverGlob matches the folders of each version on Debian and its family; they are
// not in PATH there.
const serverGlob = "/usr/lib/postgresql/*/bin"

var errNotInstalled = errors.New("PostgreSQL's server is not installed (no initdb and postgres in " +
	serverGlob + " or PATH): run `make deps` or `apt-get install postgresql`")

// findServer returns the folder with initdb and postgres of the newest installed
// version.
func findServer(glob string, lookPath func(string) (string, error)) (string, error) {
	dirs, err := filepath.Glob(glob)
	if err != nil {
		return "", err
	}
	best, newest := "", -1.0
	for _, dir := range dirs {
		// Version 9.6 and the like have a point in their folder's name.
		v, err := strconv.ParseFloat(filepath.Base(filepath.Dir(dir)), 64)
		if err == nil && v > newest && hasServer(dir) {
			best, newest = dir, v
		}
	}
	if best != "" {
		return best, nil
	}
	if initdb, err := lookPath("initdb"); err == nil {
		if dir := filepath.Dir(initdb); hasServer(dir) {
			return dir, nil
		}
	}
	return "", errNotInstalled
}

func hasServer(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// serverUser returns the user to run the server, nil for the current one. PostgreSQL
// refuses to run as root; then it is the package's user, or nobody.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root and there is no other user: %w", err)
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, fmt.Errorf("user %s: %w", u.Username, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// makeDir makes the cluster's folder: in the temporary folder, or in /tmp if the
// server's user cannot get there.
func makeDir(owner *syscall.Credential) (string, error) {
	parent, err := filepath.Abs(os.TempDir())
	if err != nil {
		return "", err
	}
	if owner != nil && !traversable(parent) {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "pgtest-")
	if err != nil || owner == nil {
		return dir, err
	}
	if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// traversable reports whether everybody may pass through dir, an absolute path,
// and its parents.
func traversable(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
