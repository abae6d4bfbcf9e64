package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func (s *server) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	testkit.NoError(t, s.Cmd.Process.Signal(sig))
}

func TestIDPRotatesItsKeysUnderLoadAndNoRequestFails(t *testing.T) {
	t.Parallel()
	idp := startIDP(t)
	s := idp.library(t)
	const clients = 20
	rotated := make(chan struct{})
	faults := make(chan error, clients)
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			c := s.with(t, "")
			for last := false; ; {
				if err := c.renewAndCall(idp, []string{"bwayne", "pparker", "ckent"}[i%3]); err != nil {
					faults <- err
					return
				}
				select {
				case <-rotated: // once more with the newest key
					if last {
						return
					}
					last = true
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	// The first rotation brings a key that the service has already, the second
	// one that it has to fetch.
	for range 2 {
		before := strings.Count(idp.Log.String(), "keys rotated")
		idp.signal(t, syscall.SIGUSR1)
		testkit.Eventually(t, "the keys are rotated", func() bool { return strings.Count(idp.Log.String(), "keys rotated") > before })
		time.Sleep(300 * time.Millisecond)
	}
	close(rotated)
	running.Wait()
	close(faults)
	for err := range faults {
		t.Error(err)
	}
	kids := map[string]bool{}
	for _, found := range regexp.MustCompile(`keys rotated" kid=(\S+)`).FindAllStringSubmatch(idp.Log.String(), -1) {
		kids[found[1]] = true
	}
	if len(kids) != 2 {
		t.Errorf("%d keys in use after two rotations", len(kids))
	}
}

// renewAndCall gets a token and calls with it, and with the one before.
func (c *session) renewAndCall(idp *provider, username string) error {
	before := c.token
	a, err := idp.tryAsk(byPassword(username, ""))
	if err != nil || a.status != 200 {
		return fmt.Errorf("token: %d %v %v", a.status, a.fields, err)
	}
	c.token = a.text("access_token")
	for _, token := range []string{before, c.token} {
		if token == "" {
			continue
		}
		r, err := c.s.with(c.t, token).try("GET", "/books", nil)
		if err != nil || r.Status != 200 {
			return fmt.Errorf("call: %d %s %v", r.Status, r.Header.Get("WWW-Authenticate"), err)
		}
	}
	return nil
}

func TestIDPReadsItsConfigurationAgainAndScopesFollow(t *testing.T) {
	t.Parallel()
	c := defaultConfiguration(t)
	file := c.write(t, "")
	idp := startIDP(t, "--config", file)
	idp.mayLogErrors = true
	s := idp.library(t)
	reload := func(outcome string) {
		t.Helper()
		before := strings.Count(idp.Log.String(), outcome)
		idp.signal(t, syscall.SIGHUP)
		testkit.Eventually(t, outcome, func() bool { return strings.Count(idp.Log.String(), outcome) > before })
	}
	refresh := func(a tokenAnswer) tokenAnswer {
		t.Helper()
		return idp.grant(t, forClient("grant_type", "refresh_token", "refresh_token", a.text("refresh_token")))
	}
	tokens := idp.grant(t, byPassword("bwayne", ""))
	if got := tokens.text("scope"); got != "library_user email profile" {
		t.Fatalf("scope %q", got)
	}

	testkit.NoError(t, os.WriteFile(file, []byte(`{"users":`), 0o600))
	reload("nothing changed")
	tokens = refresh(tokens)
	s.with(t, tokens.text("access_token")).post("/books/"+cleanCode+"/borrow", nil).want(200)

	c.change("users", "bwayne", "groups", []string{})
	c.write(t, file)
	reload("msg=done")
	tokens = refresh(tokens)
	if got := tokens.text("scope"); got != "email profile" {
		t.Errorf("scope %q after the user has left the group", got)
	}
	out := s.with(t, tokens.text("access_token"))
	out.get("/books").want(200)
	out.post("/books/"+cleanCode+"/return", nil).want(403)

	c["users"] = c["users"][1:] // without bwayne
	c.write(t, file)
	reload("msg=done")
	if a := idp.ask(t, forClient("grant_type", "refresh_token", "refresh_token", tokens.text("refresh_token"))); a.text("error") != "invalid_grant" {
		t.Errorf("who is no longer a user gets %d %v", a.status, a.fields)
	}
}

func TestIDPKeepsItsKeysAndTheirTokensOverARestart(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "keys.json")
	at := testkit.FreeAddress(t)
	idp := startIDP(t, "--addr", at, "--keys", keys)
	private := func() {
		t.Helper()
		info, err := os.Stat(keys)
		testkit.NoError(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the keys can be read by others: %v", info.Mode())
		}
	}
	private()
	before := idp.login(t, "bwayne")
	idp.signal(t, syscall.SIGUSR1)
	idp.AwaitLog(t, regexp.MustCompile("keys rotated"))
	private()
	rotated := idp.login(t, "bwayne")
	if code := idp.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}

	again := startIDP(t, "--addr", at, "--keys", keys)
	if again.issuer != idp.issuer {
		t.Fatalf("issuer %s, was %s", again.issuer, idp.issuer)
	}
	s := again.library(t)
	for _, token := range []string{before, rotated, again.login(t, "bwayne")} {
		s.with(t, token).get("/books").want(200)
	}
	private()
}
