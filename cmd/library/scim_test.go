package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/cli"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func TestTheFileOfSecretsHasOneOrTwoDigests(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("aB", 32)
	for text, want := range map[string]int{
		line: 1, "\n " + line + "\t\r\n\n" + line + "\n": 2, "": 0, "\n \n": 0, line + "\n" + line + "\n" + line: 0, line[:62]: 0, "secret": 0, line + " " + line: 0,
	} {
		file := filepath.Join(t.TempDir(), "secrets")
		testkit.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		digests, err := readSecrets(file)
		if len(digests) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, len(digests), err)
		}
		for args, fault := range map[string]bool{"--scim": want == 0, "": true, "--scim --auth basic": true} {
			cfg := &serveConfig{}
			_, _ = load(cfg.settings(), append(strings.Fields(args), "--issuer", "https://id.example", "--scim-token-file", file), func(string) (string, bool) { return "", false })
			testkit.Equal(t, len(cfg.checkSCIM()) == 1, fault, args)
		}
	}
	for _, from := range []string{"userName", "emails"} {
		cfg := &serveConfig{}
		_, _ = load(cfg.settings(), []string{"--scim-email", from}, func(string) (string, bool) { return "", false })
		testkit.Equal(t, len(cfg.checkSCIM()), 1, from)
	}
}

func TestASecretIsPrintedWithItsDigest(t *testing.T) {
	t.Parallel()
	var out testkit.Buffer
	exit := cli.Run(t.Context(), []string{"scim", "token"}, command.Environment{
		Lookup: func(string) (string, bool) { return "", false }, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
	}, program())
	secret, digest, _ := strings.Cut(strings.TrimSuffix(out.String(), "\n"), "\n")
	testkit.Equal(t, exit, 0)
	testkit.Equal(t, digest, fmt.Sprintf("%x", sha256.Sum256([]byte(secret))))
	if len(secret) < 43 {
		t.Errorf("%q", secret)
	}
}

func TestAMapOfGroupsNeedsADirectoryWhereRolesAreThoseOfRecords(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		faults int
		groups library.GroupRoles
	}{
		"--authorities local --role-map LIBRARY_ADMIN=it":                          {faults: 1},
		"--authorities local --scim --role-map LIBRARY_ADMIN=it;LIBRARY_USER=it,a": {groups: library.GroupRoles{"it": {library.RoleAdmin, library.RoleUser}, "a": {library.RoleUser}}},
		"--authorities local --scim":                                               {groups: library.GroupRoles{}},
		"--authorities groups --scim --role-map LIBRARY_ADMIN=it":                  {},
		"--authorities groups --role-map LIBRARY_ADMIN=it":                         {},
		"--auth basic --authorities local --scim":                                  {},
	} {
		cfg := &serveConfig{}
		_, bad := load(cfg.settings(), append(strings.Fields(args), "--issuer", "https://id.example"), func(string) (string, bool) { return "", false })
		testkit.Equal(t, len(bad)+len(cfg.checkSCIM()), want.faults, args)
		if want.faults == 0 {
			testkit.Diff(t, want.groups, cfg.groupRoles())
		}
	}
}
