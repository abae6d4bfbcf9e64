package durable

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/library/internal/testkit"
)

func TestAFileIsReplacedAndOnlyItsOwnerReadsIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"old", "new"} {
		testkit.NoError(t, Replace(path, []byte(text)))
		data, err := os.ReadFile(path)
		testkit.NoError(t, err)
		testkit.Equal(t, string(data), text)
	}
	info, err := os.Stat(path)
	testkit.NoError(t, err)
	testkit.Equal(t, info.Mode().Perm(), 0o600)
	wantAlone(t, path)
}

func TestAFileThatCannotBeReplacedStaysAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "folder")
	testkit.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o700))
	if err := Replace(path, []byte("new")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	wantAlone(t, path)
}

// The new file is written beside the old one, also where the path names no folder: the folder for temporary files may
// be on another disk.
func TestAFileOfTheWorkingFolderIsReplacedThere(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("TMPDIR", filepath.Join(folder, "missing"))
	testkit.NoError(t, Replace("file", []byte("new")))
	wantAlone(t, filepath.Join(folder, "file"))
}

func TestAFolderThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing")
	testkit.ErrorIs(t, SyncFolder(path), os.ErrNotExist)
	testkit.ErrorIs(t, Replace(filepath.Join(path, "file"), nil), os.ErrNotExist)
}

// wantAlone checks that nothing else is in the folder.
func wantAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	testkit.NoError(t, err)
	if len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("in the folder: %v", entries)
	}
}
