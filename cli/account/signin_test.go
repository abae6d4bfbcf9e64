package account

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func TestSigningInNeedsAPlaceToRememberIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		env  map[string]string
		args []string
		code int
		says string
	}{
		{"no folder is nobody signed in", nil, []string{"whoami"}, command.ExitNotSignedIn, "library login"},
		{"no folder is nobody to sign out", nil, []string{"logout"}, command.ExitNotSignedIn, "not signed in"},
		{"a keyring that is none", map[string]string{"LIBRARY_KEYRING": "cloud"}, []string{"whoami"}, command.ExitUsage, "LIBRARY_KEYRING"},
		{"a server that is none", map[string]string{"LIBRARY_SERVER": "ftp://x"}, []string{"login"}, command.ExitUsage, "--server"},
		{"a token and a server that is none", map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": "ftp://x"}, []string{"whoami"}, command.ExitUsage, "address"},
		{"a token and a server that nobody knows", map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": "books"}, []string{"whoami"}, command.ExitNotSignedIn, "books"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := clitest.Run(t, program, c.env, "", c.args...); code != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("exit code %d, want %d and %q in %s", code, c.code, c.says, stderr)
			}
		})
	}
}

func TestATokenFromTheEnvironmentNeedsNoProfile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "servers.json"), []byte("broken"), 0o600))
	env := map[string]string{"LIBRARY_CONFIG_DIR": dir, "LIBRARY_TOKEN": "t0ken", "LIBRARY_SERVER": "http://127.0.0.1:1"}
	if code, stdout, stderr := clitest.Run(t, program, env, "", "token"); code != command.ExitOK || stdout != "t0ken\n" {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, stdout, stderr)
	}
}
