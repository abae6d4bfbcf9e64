package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"example.org/library/internal/testkit"
)

func (s *server) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	testkit.NoError(t, s.Cmd.Process.Signal(sig))
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
