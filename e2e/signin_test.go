package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestAPersonSignsInWithABrowser(t *testing.T) {
	t.Parallel()
	p := startIDP(t)
	s := p.library(t)
	m := newMachine(t, "LIBRARY_SERVER="+s.base)
	m.run("", "login").want(t, 2, "--issuer")
	m.run("", browserOf(t, "bwayne", "deny"), "login", "--issuer", p.issuer).want(t, 4, "denied", "library login")
	m.run("", "whoami").want(t, 4, "not signed in to "+s.base, "library login")

	o := m.run("", browserOf(t, "bwayne", "allow"), "login", "--issuer", p.issuer)
	o.want(t, 0, "Opening the login page of "+p.issuer+" in your browser",
		"Signed in to "+s.base+" as Bruce Wayne (bruce.wayne@example.com), reader")
	if o.stdout != "" {
		t.Errorf("stdout: %s", o.stdout)
	}
	m.run("", "whoami").want(t, 0, "Bruce Wayne", "bruce.wayne@example.com", "reader", s.base, p.issuer, "library-cli", "renewed by itself until ")
	token := strings.TrimSpace(m.run("", "token").want(t, 0).stdout)
	s.with(t, token).get("/me").want(200)

	// Who signs in again needs to say nothing more, and can be somebody else.
	m.run("", browserOf(t, "pparker", "allow"), "login").want(t, 0, "as Peter Parker (peter.parker@example.com), curator")
	m.run("", "logout").want(t, 0, "Signed out of "+s.base+" (peter.parker@example.com)", "not: Warning")
	m.run("", "whoami").want(t, 4)
	m.run("", "logout").want(t, 4)
	if len(m.tokens()) > 0 {
		t.Error("a token is left")
	}
}

func TestWithoutABrowserAndATerminalALoginFailsAtOnce(t *testing.T) {
	t.Parallel()
	// Nothing is asked: neither of the addresses answers.
	m := newMachine(t, "LIBRARY_SERVER=http://127.0.0.1:1/library-server", "LIBRARY_ISSUER=http://127.0.0.1:1/realm")
	for _, args := range [][]string{{"login"}, {"BROWSER=no-such-program", "login"}} {
		m.run("", args...).want(t, 2, "no terminal", "--client-credentials", "LIBRARY_TOKEN", "--device", "not: cannot be reached")
	}
	m.run("", "login", "--no-browser").want(t, 1, "cannot be reached")
	m.run("", "BROWSER=/bin/true", "login").want(t, 1, "cannot be reached")
}

func TestWhomTheLibraryDoesNotKnowStaysSignedInForTheDoctor(t *testing.T) {
	t.Parallel()
	config := defaultConfiguration(t)
	config.change("users", "bwayne", "email", "the.joker@example.org")
	p := startIDP(t, "--config", config.write(t, ""))
	s := p.library(t)
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_ISSUER="+p.issuer)
	m.run("", browserOf(t, "bwayne", "allow"), "login").want(t, 4, "no user with your e-mail address", "library users add", "library doctor")
	m.run("", "doctor").want(t, 1, "!!\tuser\tthe library has no user with the e-mail address the.joker@example.org", "ok\tsign-in")
	m.run("", "whoami").want(t, 4)
}

// refreshes counts the renewals that the provider has granted.
func (p *provider) refreshes() int { return strings.Count(p.Log.String(), "grant=refresh_token") }

// wantRefreshes waits for the log of as many renewals, which comes a moment after the answer.
func (p *provider) wantRefreshes(t *testing.T, want int) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("renewed %d times", want), func() bool { return p.refreshes() >= want })
	if got := p.refreshes(); got != want {
		t.Fatalf("renewed %d times, want %d", got, want)
	}
}

func TestLoggingOutRevokes(t *testing.T) {
	t.Parallel()
	p := startIDP(t)
	s := p.library(t)
	m := newMachine(t)
	m.signIn(p, s, "bwayne")
	kept := m.tokens()[s.base].(map[string]any)["token"].(map[string]any)["refresh"].(string)
	m.run("", "logout").want(t, 0, "not: Warning")
	if a := p.ask(t, forClient("grant_type", "refresh_token", "refresh_token", kept)); a.status != 400 {
		t.Errorf("the refresh token is still good: %d", a.status)
	}
}

func TestWithoutAKeyringTheTokenIsInTheFile(t *testing.T) {
	t.Parallel()
	p := startIDP(t)
	s := p.library(t)
	m := newMachine(t, "DBUS_SESSION_BUS_ADDRESS=unix:path=/no/such/bus", "LIBRARY_CLIENT_SECRET="+clientSecret, "LIBRARY_ISSUER="+p.issuer, "LIBRARY_SERVER="+s.base)
	login := []string{"login", "--client-credentials", "--client-id", clientID}
	m.run("", append([]string{"LIBRARY_KEYRING=system"}, login...)...).want(t, 1, "keyring", "unset LIBRARY_KEYRING")
	m.run("", "whoami").want(t, 4)
	m.run("", append([]string{"LIBRARY_KEYRING="}, login...)...).want(t, 0, "as Library Client")
	m.run("", "LIBRARY_KEYRING=", "whoami").want(t, 0, "kept in a file")
	if len(m.tokens()) != 1 {
		t.Error("the token is not in the file")
	}
}

func TestAClientWithASecretUsesItInTheBrowserToo(t *testing.T) {
	t.Parallel()
	config := defaultConfiguration(t)
	config.change("clients", "library-cli", "secret", clientSecret)
	p := startIDP(t, "--config", config.write(t, ""))
	s := p.library(t)
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_ISSUER="+p.issuer)
	m.run("", browserOf(t, "bwayne", "allow"), "login").want(t, 4, "does not know the client library-cli with this secret")
	m.run(clientSecret, browserOf(t, "bwayne", "allow"), "login", "--secret-file", "-").want(t, 0, "Bruce Wayne")
	m.expire()
	m.run("", "whoami").want(t, 0, "Bruce Wayne") // the secret was remembered
	p.wantRefreshes(t, 1)
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
	m.run("", "login", "--device").want(t, 1, "does not offer signing in from another device")
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
