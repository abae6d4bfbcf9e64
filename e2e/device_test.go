package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

var (
	devicePage = regexp.MustCompile(`(?m)^  (http\S+/device)$`)
	deviceCode = regexp.MustCompile(`(?m)^  ([A-Z]{4}-[A-Z]{4})$`)
)

// deviceShown waits until a sign-in shows where to go and what to type there.
func deviceShown(t testing.TB, said func() string) (address, code string) {
	t.Helper()
	testkit.Eventually(t, "it waits for the other machine", func() bool {
		return strings.Contains(said(), "Waiting for you to allow it there, for up to 10 minutes")
	})
	at, typed := devicePage.FindStringSubmatch(said()), deviceCode.FindStringSubmatch(said())
	if at == nil || typed == nil {
		t.Fatalf("no address and code in:\n%s", said())
	}
	return at[1], typed[1]
}

// A person at a real terminal without a browser, and a real browser elsewhere.
func TestSigningInFromAnotherMachine(t *testing.T) {
	t.Parallel()
	tools := findTools(t)
	idp := startIDP(t)
	library := idp.library(t)
	s := sitDown(t, "SSH_CONNECTION=192.0.2.1 1234 192.0.2.2 22")
	s.clear()
	s.enter("library login --device --server " + library.base + " --issuer " + idp.issuer)
	address, code := deviceShown(t, func() string { return plain(s.shown()) })

	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, tools.node, filepath.Join(tools.folder, "device.js"), address, code)
	cmd.Env = append(os.Environ(), "CHROMIUM="+tools.chromium, "LOGIN=pparker", "PASSWORD="+passwords["pparker"])
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the browser: %v\n%s", err, out)
	}
	s.await("Signed in to " + library.base)
	s.await(prompt)
	s.sees("library whoami", "Peter Parker", "curator")
}

func TestASignInByCodeThatIsDeniedOrNotAllowed(t *testing.T) {
	t.Parallel()
	config := defaultConfiguration(t)
	p := startIDP(t, "--config", config.write(t, ""))
	s := p.library(t)
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_ISSUER="+p.issuer)
	said := &testkit.Buffer{}
	cmd := m.command(context.Background(), "", "login", "--device")
	cmd.Stderr = said
	testkit.NoError(t, cmd.Start())
	address, code := deviceShown(t, said.String)
	if err := browse("bwayne", "wayne", "deny", address+"?user_code="+code); err != nil {
		t.Error(err)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 4 || !strings.Contains(said.String(), "access was denied") {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), said)
	}
	m.run("", "login", "--device", "--client-id", "library-web").want(t, 4, "may not sign in with --device", "browser on this machine")
	m.run("", "whoami").want(t, 4)
}

// An address to type leads to the same page as the long one, as often as it takes.
func TestTheTerminalSaysThatItWaitsAndWhereToGo(t *testing.T) {
	t.Parallel()
	p := startIDP(t)
	s := p.library(t)
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_ISSUER="+p.issuer, "SSH_CONNECTION=192.0.2.1 1234 192.0.2.2 22")
	said := &testkit.Buffer{}
	cmd := m.command(context.Background(), "", "login", "--no-browser")
	cmd.Stderr = said
	testkit.NoError(t, cmd.Start())
	testkit.Eventually(t, "it says that it waits", func() bool { return strings.Contains(said.String(), "Waiting for you to sign in there") })
	short := regexp.MustCompile(`(?m)^  (http://127\.0\.0\.1:\d+/\w{6})$`).FindStringSubmatch(said.String())
	if short == nil || !strings.Contains(said.String(), "library login --device") {
		t.Fatalf("no address to type, or no word of --device:\n%s", said)
	}
	for range 2 {
		resp, err := p.client.Get(short[1])
		testkit.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); err != nil || resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != addressIn(t, said.String()) {
			t.Errorf("it leads to %d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if err := errors.Join(browse("bwayne", "wayne", "allow", short[1]), cmd.Wait()); err != nil || !strings.Contains(said.String(), "as Bruce Wayne") {
		t.Errorf("%v\n%s", err, said)
	}
}
