//go:build unix

package backup_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.org/library/backup"
	"example.org/library/internal/testkit"
)

// ownerOf is who a file belongs to, and who may use it.
func ownerOf(t testing.TB, path string) (uid, gid int, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	testkit.NoError(t, err)
	is := info.Sys().(*syscall.Stat_t)
	return int(is.Uid), int(is.Gid), info.Mode().Perm()
}

// TestTheRestoredFileBelongsToWhoTheOldOneBelongedTo is about root, who restores for a
// server with a user of its own. Others can keep the rights at least.
func TestTheRestoredFileBelongsToWhoTheOldOneBelongedTo(t *testing.T) {
	t.Parallel()
	copied := packedBackup(t)
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 65532, 65531
	}
	for _, mode := range []os.FileMode{0o600, 0o640, 0o660} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			to := emptySQLite(t)
			open(t, to).store.Close()
			path := sqliteFile(to)
			testkit.NoError(t, os.Chmod(path, mode))
			testkit.NoError(t, os.Chown(path, uid, gid))
			testkit.NoError(t, restore(to, bytes.NewReader(copied), true))
			if u, g, m := ownerOf(t, path); u != uid || g != gid || m != mode {
				t.Errorf("it belongs to %d:%d with %v, want %d:%d with %v", u, g, m, uid, gid, mode)
			}
		})
	}
}

func TestAFileThatIsNewIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	to := emptySQLite(t)
	testkit.NoError(t, restore(to, bytes.NewReader(packedBackup(t)), false))
	if u, _, m := ownerOf(t, sqliteFile(to)); u != os.Getuid() || m != 0o600 {
		t.Errorf("it belongs to %d with %v", u, m)
	}
}

// TestALinkIsNotGivenAway has somebody put another file in the place of the copy.
func TestALinkIsNotGivenAway(t *testing.T) {
	t.Parallel()
	for rule, link := range map[string]func(old, new string) error{"symbolic": os.Symlink, "hard": os.Link} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			to := emptySQLite(t)
			open(t, to).store.Close()
			path := sqliteFile(to)
			testkit.NoError(t, os.Chmod(path, 0o666))
			secret := filepath.Join(t.TempDir(), "secret")
			testkit.NoError(t, os.WriteFile(secret, nil, 0o600))
			file := filepath.Join(filepath.Dir(path), "copy")
			testkit.NoError(t, link(secret, file))
			database, err := backup.NewDatabase(to)
			testkit.NoError(t, err)
			if err := database.Replace(t.Context(), file, true); err == nil {
				t.Error("it was put in the place of the database")
			}
			if _, _, m := ownerOf(t, secret); m != 0o600 {
				t.Errorf("the rights of the other file are %v", m)
			}
		})
	}
}

// TestAFileThatCannotBeGivenBackIsNotReplaced runs as somebody who may write into the
// folder, but is not the owner of the file.
func TestAFileThatCannotBeGivenBackIsNotReplaced(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("it must be run as root")
		}
		t.Skip("only root can make a file that belongs to somebody else")
	}
	to := emptySQLite(t)
	open(t, to).store.Close()
	path := sqliteFile(to)
	backupFile := filepath.Join(filepath.Dir(path), "b")
	testkit.NoError(t, os.WriteFile(backupFile, packedBackup(t), 0o644))
	for p := filepath.Dir(path); p != filepath.Clean(os.TempDir()) && p != "/"; p = filepath.Dir(p) {
		testkit.NoError(t, os.Chmod(p, 0o777))
	}
	testkit.NoError(t, os.Chmod(path, 0o666))
	before, err := os.ReadFile(path)
	testkit.NoError(t, err)
	said := runAs(t, 65532, restoreVariable+"="+to, backupVariable+"="+backupFile)
	if !strings.Contains(said, "as root") || !strings.Contains(said, "user 0") {
		t.Errorf("it says %q", said)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was replaced")
	}
	wantNothingIn(t, filepath.Dir(path), "b", "library.db")
}

// runAs runs this program as another user, with variables, and returns what it says.
func runAs(t *testing.T, uid uint32, variables ...string) string {
	t.Helper()
	self, err := os.Executable()
	testkit.NoError(t, err)
	program, err := os.ReadFile(self) // where the other user can reach it
	testkit.NoError(t, err)
	folder, err := os.MkdirTemp("", "as-another-user-*")
	testkit.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	self = filepath.Join(folder, "program")
	// A program that another test starts meanwhile would hold the file open, and a file that is open for writing cannot be run.
	syscall.ForkLock.RLock()
	err = errors.Join(os.Chmod(folder, 0o755), os.WriteFile(self, program, 0o755))
	syscall.ForkLock.RUnlock()
	testkit.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variables...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
