package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// place is a library with its identity provider, and a person at a terminal.
type place struct {
	*shell
	library *server
	idp     *provider
}

// arrive seats a sample user at a terminal and signs in through the browser.
func arrive(t *testing.T, username string, more ...string) *place {
	t.Helper()
	testkit.AwayFromMidnight()
	idp := startIDP(t)
	library := idp.library(t)
	p := &place{sitDown(t, append(withBrowser(t, username), more...)...), library, idp}
	p.seesCode(4, "library books list", "You are not signed in", "library login")
	p.sees("library login --server "+library.base+" --issuer "+idp.issuer, "browser", "Signed in to ")
	return p
}

func TestTheJourneyOfAReader(t *testing.T) {
	t.Parallel()
	p := arrive(t, "bwayne")
	p.sees("library whoami", "Bruce Wayne", "bruce.wayne@example.com", "reader", p.library.base)

	list := p.sees("library books list", "TITLE", "Clean Code", "Available")
	for line := range strings.Lines(list) {
		if len([]rune(strings.TrimRight(line, "\n"))) > screenWidth {
			t.Errorf("a line is wider than the screen: %q", line)
		}
	}
	p.sees("library books list --search 'clean code'", "Clean Code")
	p.sees("library books borrow 'clean code'", "Clean Code")
	p.sees("library books list --mine", "Clean Code", "Yours")
	p.sees("library books show 978-0-13-235088-4", "Clean Code", "Yours")
	p.sees("library books list --available --json | grep -c 'Clean Code' || true", "0")
	p.sees("library books return 0132350882", "Clean Code")
	p.seesCode(6, "library books return 0132350882", "not on loan")
	p.seesCode(5, "library books show 'No Such Title'", "No Such Title")
	p.seesCode(1, "library books add --title Mine", "You are signed in as Bruce Wayne, who is not a curator")
	p.seesCode(1, "library users list", "Bruce Wayne, who is not an admin")

	p.sees("curl -s -H \"Authorization: Bearer $(library token)\" "+p.library.base+"/me", `"firstName":"Bruce"`)
	p.sees("library doctor", "ok")
	p.sees("library logout", "Signed out")
	p.seesCode(4, "library whoami", "not signed in")
	p.forgot(t)
}

// forgot checks that nothing secret stays behind.
func (p *place) forgot(t *testing.T) {
	t.Helper()
	for _, file := range filesBelow(t, filepath.Join(p.home, ".config")) {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "eyJ") {
			t.Errorf("there is a token in %s after signing out", file)
		}
	}
}

func TestTheDemoPrintsALoginThatWorks(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--ephemeral")
	_, rest, _ := strings.Cut(d.text, "Or sign in at this terminal:\n\n")
	command, _, found := strings.Cut(rest, "\n")
	if !found {
		t.Fatalf("no login in:\n%s", d.text)
	}
	s := sitDown(t, withBrowser(t, "bbanner")...)
	s.sees(strings.TrimSpace(command), "Signed in to "+d.api+" as Bruce Banner")
}
