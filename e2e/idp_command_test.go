package e2e

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

func TestIDPPagesBearTheNameOfTheLibrary(t *testing.T) {
	t.Parallel()
	idp := startIDP(t, "--name", "Reading Room")
	query := fields("response_type", "code", "client_id", clientID, "redirect_uri", callback)
	resp, err := idp.client.Get(idp.at("auth") + "?" + query.Encode())
	testkit.NoError(t, err)
	defer resp.Body.Close()
	if page, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(page), "<title>Sign in – Reading Room</title>") {
		t.Errorf("%v\n%s", err, page)
	}
}

func TestIDPPrintsAConfigurationThatItReads(t *testing.T) {
	t.Parallel()
	printed := runProgram(t, nil, "idp", "--print-config")
	if printed.code != 0 || printed.stderr != "" {
		t.Fatalf("exit code %d: %s", printed.code, printed.stderr)
	}
	file := filepath.Join(t.TempDir(), "idp.json")
	testkit.NoError(t, os.WriteFile(file, []byte(printed.stdout), 0o600))
	again := runProgram(t, nil, "idp", "--config", file, "--print-config")
	if diff := cmp.Diff(printed.stdout, again.stdout); diff != "" || again.code != 0 {
		t.Errorf("exit code %d; read and printed again it differs:\n%s", again.code, diff)
	}
	if files, _ := os.ReadDir(filepath.Dir(file)); len(files) != 1 {
		t.Errorf("printing made files: %v", files)
	}
	idp := startIDP(t, "--config", file)
	for username := range passwords {
		idp.login(t, username)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "idp-keys.json")); err != nil {
		t.Errorf("the keys are not beside the configuration: %v", err)
	}
}

func TestIDPIsForThisMachineUnlessConfigured(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.org:0"} {
		o := runProgram(t, nil, "idp", "--addr", addr)
		if o.code != 2 || !strings.Contains(o.stderr, "--allow-remote") || strings.Contains(o.stderr, "listening") {
			t.Errorf("%s: exit code %d: %s", addr, o.code, o.stderr)
		}
	}
	idp := startIDP(t, "--addr", "0.0.0.0:0", "--allow-remote")
	idp.login(t, "bwayne")
	if !strings.Contains(idp.Log.String(), "do not use it in production") {
		t.Error("it does not say what it is")
	}
}

func TestIDPNamesThePortInUseAndTheKeysItCannotRead(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	addr := strings.TrimPrefix(strings.TrimSuffix(idp.issuer, "/auth/realms/workshop"), "http://localhost")
	if o := runProgram(t, nil, "idp", "--addr", "127.0.0.1"+addr); o.code != 1 || !strings.Contains(o.stderr, addr) || !strings.Contains(o.stderr, "--addr") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	file := filepath.Join(t.TempDir(), "keys.json")
	testkit.NoError(t, os.WriteFile(file, []byte("no keys"), 0o600))
	if o := runProgram(t, nil, "idp", "--addr", "127.0.0.1:0", "--keys", file); o.code == 0 || !strings.Contains(o.stderr, "--keys") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if data, _ := os.ReadFile(file); string(data) != "no keys" {
		t.Error("a file that is not ours was overwritten")
	}
}
