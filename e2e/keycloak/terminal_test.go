//go:build keycloak

package keycloak

import (
	"bytes"
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

// person is somebody with the terminal client.
type person struct {
	t    testing.TB
	home string
}

// command is a command of the terminal client. A browser that it opens only
// notes the address.
func (p person) command(args ...string) (cmd *exec.Cmd, said *bytes.Buffer) {
	cmd, said = exec.Command(binary, args...), &bytes.Buffer{}
	cmd.Dir = p.home
	cmd.Env = []string{"HOME=" + p.home, "LIBRARY_KEYRING=file", "BROWSER=" + filepath.Join(p.home, "browser"), "PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = testkit.Tied()
	return cmd, said
}

// says runs a command that has to succeed and to say something.
func (p person) says(want string, args ...string) string {
	p.t.Helper()
	cmd, said := p.command(args...)
	if err := cmd.Run(); err != nil || !strings.Contains(said.String(), want) {
		p.t.Fatalf("library %s: %v; it says %q, want %q in it", strings.Join(args, " "), err, said, want)
	}
	return said.String()
}

// logIn runs `library login` and fills in the page that it opens.
func (p person) logIn(base, user string) {
	p.t.Helper()
	note := filepath.Join(p.home, "address")
	script := "#!/bin/sh\nprintf %s \"$1\" >" + note + ".new && mv " + note + ".new " + note + "\n"
	testkit.NoError(p.t, os.WriteFile(filepath.Join(p.home, "browser"), []byte(script), 0o700))
	cmd, said := p.command("login", "--server", base, "--issuer", issuer)
	testkit.NoError(p.t, cmd.Start())
	defer cmd.Process.Kill()
	var address []byte
	for deadline := time.Now().Add(testkit.Timeout(p.t)); len(address) == 0; time.Sleep(20 * time.Millisecond) {
		if address, _ = os.ReadFile(note); time.Now().After(deadline) {
			p.t.Fatalf("no browser was opened; it says %q", said)
		}
	}
	b := newBrowser(p.t)
	page := b.get(string(address)).WantStatus(302).Header.Get("Location") // an address without secrets leads to the login
	back := b.fillIn(page, user).WantStatus(302).Header.Get("Location")
	if !strings.HasPrefix(back, "http://127.0.0.1:") {
		p.t.Fatalf("the login page sends to %s", back)
	}
	b.get(back)
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "Signed in to "+base) {
		p.t.Fatalf("%v; it says %q", err, said)
	}
}

// logInByCode runs `library login --device` and allows it in a browser elsewhere.
func (p person) logInByCode(base, user string) {
	p.t.Helper()
	cmd, _ := p.command("login", "--device", "--server", base, "--issuer", issuer)
	file, err := os.Create(filepath.Join(p.home, "said"))
	testkit.NoError(p.t, err)
	defer file.Close()
	cmd.Stdout, cmd.Stderr = file, file
	testkit.NoError(p.t, cmd.Start())
	defer cmd.Process.Kill()
	said := func() string { text, _ := os.ReadFile(file.Name()); return string(text) }
	for deadline := time.Now().Add(testkit.Timeout(p.t)); !strings.Contains(said(), "Waiting for you to allow it there"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("it does not wait; it says %q", said())
		}
	}
	lines := regexp.MustCompile(`(?m)^  (\S+)$`).FindAllStringSubmatch(said(), -1)
	if len(lines) != 2 {
		p.t.Fatalf("no address and code in %q", said())
	}
	b := newBrowser(p.t)
	b.allowDevice(lines[0][1]+"?user_code="+url.QueryEscape(lines[1][1]), user)
	if err := cmd.Wait(); err != nil || !strings.Contains(said(), "Signed in to "+base) {
		p.t.Fatalf("%v; it says %q", err, said())
	}
}

func TestTheTerminalClientSignsInThroughKeycloakByCode(t *testing.T) {
	s := start(t)
	p := person{t, t.TempDir()}
	p.logInByCode(s.base, "bwayne")
	p.says("Bruce Wayne", "whoami")
	p.says("", "logout")
}

func TestTheTerminalClientSignsInThroughKeycloak(t *testing.T) {
	s := start(t)
	p := person{t, t.TempDir()}
	p.logIn(s.base, "bwayne")
	p.says("Bruce Wayne", "whoami")
	p.says("Clean Code", "books", "list")
	p.says("", "books", "borrow", "clean code")
	p.says("Clean Code", "books", "list", "--mine")
	if text := p.says("", "doctor"); strings.Contains(text, "!!") {
		t.Errorf("the doctor finds something:\n%s", text)
	}
	p.says("", "logout")
	cmd, said := p.command("whoami")
	if cmd.Run(); cmd.ProcessState.ExitCode() != 4 {
		t.Errorf("after signing out: exit code %d, %s", cmd.ProcessState.ExitCode(), said)
	}
}
