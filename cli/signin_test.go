package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/profile"
)

func TestHowLongATokenLasts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	for _, c := range []struct {
		kind  profile.Kind
		token client.Token
		want  string
	}{
		{profile.Person, client.Token{Expiry: now.Add(4 * time.Minute), Refresh: "r", RefreshExpiry: now.Add(30 * time.Minute)},
			"good for 4 minutes; renewed by itself until 03:34"},
		{profile.Person, client.Token{Expiry: now.Add(time.Second), Refresh: "r", RefreshExpiry: now.Add(48 * time.Hour)},
			"good for 1 second; renewed by itself until 2026-01-04 03:04"},
		{profile.Person, client.Token{Expiry: now.Add(3 * time.Hour), Refresh: "r"}, "good for 3 hours; renewed by itself"},
		{profile.Service, client.Token{Expiry: now.Add(72 * time.Hour)}, "good for 3 days; renewed by itself"},
		{profile.Person, client.Token{Expiry: now.Add(-time.Hour)}, "good for no longer"},
		{"", client.Token{}, "good for an unknown time"},
	} {
		if got := lasts(now, c.kind, c.token); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestClaimsAreReadWhateverTheirForm(t *testing.T) {
	t.Parallel()
	c, ok := readClaims(testidp.Unsigned(`{"kid":"k"}`, `{"iss":"i","aud":"one","scope":"a b","groups":["x","y"],"email":"e","exp":1e9,"email_verified":false}`))
	if !ok || c.Key != "k" || c.Issuer != "i" || strings.Join(c.Audience, ",") != "one" || strings.Join(c.Scope, ",") != "a,b" ||
		strings.Join(c.Groups, ",") != "x,y" || c.Email != "e" || c.Expiry.Unix() != 1e9 || c.EmailVerified == nil || *c.EmailVerified {
		t.Errorf("%+v %v", c, ok)
	}
	c, ok = readClaims(testidp.Unsigned(`{}`, `{"iss":1,"aud":{},"scope":[1],"groups":null,"email":[],"exp":"soon","email_verified":"yes"}`))
	if !ok || c.Issuer != "" || len(c.Audience)+len(c.Scope)+len(c.Groups) > 0 || c.Email != "" || !c.Expiry.IsZero() || c.EmailVerified != nil {
		t.Errorf("%+v %v", c, ok)
	}
	for _, token := range []string{"", "a", "a.b", "a.b.c", "..", testidp.Unsigned(`[]`, `{}`), testidp.Unsigned(`{}`, `[]`), strings.Repeat("a", maxToken+1)} {
		if _, ok := readClaims(token); ok {
			t.Errorf("%q is read", token)
		}
	}
}

func FuzzClaims(f *testing.F) {
	f.Add(testidp.Unsigned(`{"kid":"k"}`, `{"iss":"i","aud":["a"],"exp":1}`))
	f.Fuzz(func(_ *testing.T, token string) { readClaims(token) })
}

// runWith runs the program inside the test with some environment variables.
func runWith(t *testing.T, env map[string]string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err testkit.Buffer
	code = run(t.Context(), args, Environment{
		Lookup: func(name string) (string, bool) { value, found := env[name]; return value, found },
		Stdin:  strings.NewReader(stdin), Stdout: &out, Stderr: &err,
	})
	return code, out.String(), err.String()
}

func TestSigningInNeedsAPlaceToRememberIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		env  map[string]string
		args []string
		code int
		says string
	}{
		{"no folder is nobody signed in", nil, []string{"whoami"}, ExitNotSignedIn, "library login"},
		{"no folder is nobody to sign out", nil, []string{"logout"}, ExitNotSignedIn, "not signed in"},
		{"a keyring that is none", map[string]string{"LIBRARY_KEYRING": "cloud"}, []string{"whoami"}, ExitUsage, "LIBRARY_KEYRING"},
		{"a server that is none", map[string]string{"LIBRARY_SERVER": "ftp://x"}, []string{"login"}, ExitUsage, "--server"},
		{"a token and a server that is none", map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": "ftp://x"}, []string{"whoami"}, ExitUsage, "address"},
		{"a token and a server that nobody knows", map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": "books"}, []string{"whoami"}, ExitNotSignedIn, "books"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := runWith(t, c.env, "", c.args...); code != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("exit code %d, want %d and %q in %s", code, c.code, c.says, stderr)
			}
		})
	}
}

func TestATokenFromTheEnvironmentNeedsNoProfile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "servers.json"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"LIBRARY_CONFIG_DIR": dir, "LIBRARY_TOKEN": "t0ken", "LIBRARY_SERVER": "http://127.0.0.1:1"}
	if code, stdout, stderr := runWith(t, env, "", "token"); code != ExitOK || stdout != "t0ken\n" {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, stdout, stderr)
	}
}

func TestEveryCommandAboutSigningInHasExamples(t *testing.T) {
	t.Parallel()
	a := &app{}
	server := newServer(a)
	for _, cmd := range append(server.Commands(), newLogin(a), newLogout(a), newWhoami(a), newToken(a), newDoctor(a), server) {
		lines := strings.Split(cmd.Example, "\n")
		if len(lines) < 2 || len(lines) > 4 || cmd.Short == "" {
			t.Errorf("%s has %d examples", cmd.Name(), len(lines))
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "library") {
				t.Errorf("%s: the example is %q", cmd.Name(), line)
			}
		}
	}
}
