package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// browseAs as the first argument makes the test program the browser of a person
// who signs in and then decides: browse-as USER PASSWORD DECISION ADDRESS.
const browseAs = "browse-as"

func init() {
	if len(os.Args) == 6 && os.Args[1] == browseAs {
		if err := browse(os.Args[2], os.Args[3], os.Args[4], os.Args[5]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

var codeField = regexp.MustCompile(`name="user_code" value="([^"]*)"`)

var formAction = regexp.MustCompile(`<form [^>]*action="([^"]*)"`)

// browse goes to an address and fills in forms until a page has none.
func browse(user, password, decision, address string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	resp, err := client.Get(address)
	for range 5 {
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		action := formAction.FindStringSubmatch(string(body))
		if action == nil {
			return nil
		}
		form := fields("username", user, "password", password, "decision", decision)
		if typed := codeField.FindStringSubmatch(string(body)); typed != nil {
			form.Set("user_code", typed[1]) // as the address has filled it in
		}
		for _, hidden := range hiddenField.FindAllStringSubmatch(string(body), -1) {
			form.Set(hidden[1], html.UnescapeString(hidden[2]))
		}
		target, err := resp.Request.URL.Parse(html.UnescapeString(action[1]))
		if err != nil {
			return err
		}
		if resp, err = client.PostForm(target.String(), form); err != nil {
			return err
		}
	}
	return errors.New("there is no end of forms")
}

// browserOf is a value of BROWSER for a sample user.
func browserOf(t testing.TB, user, decision string) string {
	t.Helper()
	self, err := os.Executable()
	testkit.NoError(t, err)
	return "BROWSER=" + strings.Join([]string{self, browseAs, user, passwords[user], decision}, " ")
}

// machine is where a person sits: a folder and an environment that last.
type machine struct {
	t    testing.TB
	home string
	env  []string
}

func newMachine(t testing.TB, env ...string) *machine {
	return &machine{t: t, home: t.TempDir(), env: append([]string{"LIBRARY_KEYRING=file"}, env...)}
}

// command is the program on this machine, with more variables in front of the
// arguments, such as NAME=value.
func (m *machine) command(ctx context.Context, stdin string, args ...string) *exec.Cmd {
	env := m.env
	for len(args) > 0 && strings.Contains(args[0], "=") && strings.HasPrefix(args[0], strings.ToUpper(args[0][:1])) {
		env, args = append(env[:len(env):len(env)], args[0]), args[1:]
	}
	cmd := command(ctx, m.home, env, args...)
	cmd.Stdin = strings.NewReader(stdin)
	return cmd
}

// run runs the program to its end, and holds it to never showing a secret.
func (m *machine) run(stdin string, args ...string) outcome {
	m.t.Helper()
	ctx := testkit.Context(m.t)
	var stdout, stderr bytes.Buffer
	cmd := m.command(ctx, stdin, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	o := outcome{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), dir: m.home}
	if ctx.Err() != nil {
		m.t.Fatalf("library %s goes on:\n%s%s", strings.Join(args, " "), o.stdout, o.stderr)
	}
	for _, bad := range []string{"DATA RACE", "goroutine ", "panic:"} {
		if strings.Contains(o.stdout+o.stderr, bad) {
			m.t.Errorf("library %s says %q:\n%s", strings.Join(args, " "), bad, o.stderr)
		}
	}
	shown := o.stderr
	if args[len(args)-1] != "token" {
		shown += o.stdout
	}
	for _, secret := range m.secrets() {
		if strings.Contains(shown, secret) {
			m.t.Errorf("library %s shows a secret", strings.Join(args, " "))
		}
	}
	return o
}

// file is one that the program keeps.
func (m *machine) file(name string) string { return filepath.Join(m.home, ".config", "library", name) }

// tokens is tokens.json as it is.
func (m *machine) tokens() map[string]any {
	m.t.Helper()
	var all struct{ Tokens map[string]any }
	data, err := os.ReadFile(m.file("tokens.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	testkit.NoError(m.t, err)
	return all.Tokens
}

// secrets are the texts that must not be shown.
func (m *machine) secrets() []string {
	secrets := []string{clientSecret}
	for _, entry := range m.tokens() {
		token := entry.(map[string]any)["token"].(map[string]any)
		for _, name := range []string{"access", "refresh"} {
			if text, _ := token[name].(string); len(text) > 20 {
				secrets = append(secrets, text[:20])
			}
		}
	}
	return secrets
}

// expire makes every token look as if it had expired.
func (m *machine) expire() {
	m.t.Helper()
	all := m.tokens()
	for _, entry := range all {
		entry.(map[string]any)["token"].(map[string]any)["expiry"] = time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	}
	data, err := json.Marshal(map[string]any{"version": 1, "tokens": all})
	if err == nil {
		err = os.WriteFile(m.file("tokens.json"), data, 0o600)
	}
	testkit.NoError(m.t, err)
}

// want checks the exit code and what was said, and not said after a "not: ".
func (o outcome) want(t testing.TB, code int, says ...string) outcome {
	t.Helper()
	if o.code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.code, code, o.stdout, o.stderr)
	}
	for _, text := range says {
		text, absent := strings.CutPrefix(text, "not: ")
		if strings.Contains(o.stdout+o.stderr, text) == absent {
			t.Errorf("%q is not as it should be in\nstdout: %s\nstderr: %s", text, o.stdout, o.stderr)
		}
	}
	return o
}

// signIn signs a sample user in with a password.
func (m *machine) signIn(p *provider, s *server, user string) {
	m.t.Helper()
	m.run(passwords[user]+"\n", "LIBRARY_CLIENT_SECRET="+clientSecret, "login", "--server", s.base, "--issuer", p.issuer,
		"--password", "--username", user, "--client-id", clientID).want(m.t, 0, "Signed in to "+s.base)
}

// addressIn finds the address of the login page in what the program says.
func addressIn(t testing.TB, text string) string {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		if u, err := url.Parse(word); err == nil && u.Query().Has("code_challenge") {
			return word
		}
	}
	t.Fatalf("no address in %s", text)
	return ""
}
