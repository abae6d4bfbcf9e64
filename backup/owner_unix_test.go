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
)

// ownerOf is who a file belongs to, and who may use it.
func ownerOf(t testing.TB, path string) (uid, gid int, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
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
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(path, uid, gid); err != nil {
				t.Fatal(err)
			}
			if err := restore(to, bytes.NewReader(copied), true); err != nil {
				t.Fatal(err)
			}
			if u, g, m := ownerOf(t, path); u != uid || g != gid || m != mode {
				t.Errorf("it belongs to %d:%d with %v, want %d:%d with %v", u, g, m, uid, gid, mode)
			}
		})
	}
}

func TestAFileThatIsNewIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	to := emptySQLite(t)
	if err := restore(to, bytes.NewReader(packedBackup(t)), false); err != nil {
		t.Fatal(err)
	}
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
			if err := os.Chmod(path, 0o666); err != nil {
				t.Fatal(err)
			}
			secret := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(secret, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(filepath.Dir(path), "copy")
			if err := link(secret, file); err != nil {
				t.Fatal(err)
			}
			database, err := backup.NewDatabase(to)
			if err != nil {
				t.Fatal(err)
			}
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
	if err := os.WriteFile(backupFile, packedBackup(t), 0o644); err != nil {
		t.Fatal(err)
	}
	for p := filepath.Dir(path); p != filepath.Clean(os.TempDir()) && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self) // where the other user can reach it
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "as-another-user-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	self = filepath.Join(folder, "program")
	if err := errors.Join(os.Chmod(folder, 0o755), os.WriteFile(self, program, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variables...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
