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

func TestTheJourneyOfACurator(t *testing.T) {
	t.Parallel()
	p := arrive(t, "pparker", "EDITOR=sed -i 's/^title:.*/title: A Title From The Editor/'")
	p.sees("library whoami", "Peter Parker", "curator")
	p.sees("library books add --title 'Concrete Mathematics' --author 'Ronald Graham' --author 'Donald Knuth' --isbn 978-0-201-55802-9",
		"Concrete Mathematics")
	p.sees("library books show 'concrete math'", "Ronald Graham", "978-0-201-55802-9")
	p.sees("library books edit 'concrete math' --description 'Sums.'", "Concrete Mathematics")
	p.sees("library books edit 9780201558029", "A Title From The Editor")
	p.sees("library books show 9780201558029 --json", `"description": "Sums."`, `"title": "A Title From The Editor"`)
	p.sees(`echo '{"title":"From A Pipe"}' | library books add -`, "From A Pipe")

	p.clear()
	p.enter("library books delete 'From A Pipe'")
	p.await("[y/N]")
	p.enter("n")
	p.await(prompt)
	p.sees("library books show 'From A Pipe'", "Available")
	p.clear()
	p.enter("library books delete 'From A Pipe'")
	p.await("[y/N]")
	p.enter("y")
	p.await(prompt)
	p.seesCode(5, "library books show 'From A Pipe'")

	csv := "Title;Author;ISBN\nImported One;Somebody;\n;Nobody;\nImported Two;\"A; B\";978-0-13-419044-9\n"
	testkit.NoError(t, os.WriteFile(filepath.Join(p.home, "new.csv"), []byte(csv), 0o600))
	p.seesCode(1, "library books import --dry-run new.csv", "new.csv:3")
	p.seesCode(5, "library books show 'Imported One'")
	p.seesCode(1, "library books import new.csv", "new.csv:3", "title is required", "dded 2")
	p.seesCode(1, "library books import new.csv", "unchanged 2")
	p.sees("library books export all.csv && head -1 all.csv", "title")
	p.sees("library logout", "Signed out")
}

func TestTheJourneyOfAnAdmin(t *testing.T) {
	t.Parallel()
	p := arrive(t, "ckent")
	p.sees("library whoami", "Clark Kent", "admin")
	p.sees("library users list", "bruce.wayne@example.com", "Peter")
	p.sees("library users add --email diana.prince@example.com --first-name Diana --last-name Prince --role reader", "Diana Prince")
	p.seesCode(6, "library users add --email Diana.Prince@example.com --first-name D --last-name P", "already")
	p.sees("library users edit diana.prince@example.com --role reader --role curator", "Diana Prince")
	p.sees("library users show diana", "curator", "diana.prince@example.com")
	p.seesCode(6, "library users remove --yes 'Clark Kent'", "cannot remove yourself")
	p.clear()
	p.enter("library users remove 'Diana Prince'")
	p.await("[y/N]")
	p.enter("y")
	p.await(prompt)
	p.seesCode(5, "library users show diana.prince@example.com")
	p.sees("library server list", strings.TrimPrefix(p.library.root, "http://"))
	p.sees("library logout", "Signed out")
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
