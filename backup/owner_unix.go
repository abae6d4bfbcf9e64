//go:build unix

package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// giveLike gives a file the owner, the group and the rights of another: restoring is
// often done as root, and the server runs as another user.
//
// The folder may belong to the server's user, who must not be able to have
// another file given away by putting a link in the place of this one.
func giveLike(file string, old fs.FileInfo, folder string) error {
	name, err := filepath.Rel(folder, file)
	if err != nil {
		return err
	}
	f, err := os.OpenInRoot(folder, name)
	if err != nil {
		return fmt.Errorf("open the new database file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("look at the new database file: %w", err)
	}
	now, was := info.Sys().(*syscall.Stat_t), old.Sys().(*syscall.Stat_t)
	if now.Nlink != 1 || !info.Mode().IsRegular() {
		return errors.New("somebody has replaced the new database file while it was checked; look who writes into its folder")
	}
	if now.Uid != was.Uid || now.Gid != was.Gid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("the new database file cannot be given to the owner of the old one (user %d, group %d); "+
				"restore as that user, or as root: %w", was.Uid, was.Gid, err)
		}
	}
	if err := f.Chmod(old.Mode().Perm()); err != nil {
		return fmt.Errorf("set the rights of the new database file: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write the new database file to the disk: %w", err)
	}
	return nil
}
