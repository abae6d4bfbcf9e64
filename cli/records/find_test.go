package records

import (
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
)

var dunes = []api.Book{
	{Identifier: twinOne, BookFields: api.BookFields{Title: "Dune", Authors: []string{"Frank Herbert"}, ISBN: "978-0-441-17271-9"}},
	{Identifier: longer, BookFields: api.BookFields{Title: "Dune Messiah", Authors: []string{"Frank Herbert"}}},
	{Identifier: etranger, BookFields: api.BookFields{Title: "L'Étranger", Authors: []string{"Albert Camus"}}},
}

// Each column is the book that is found, or "".
func TestWhoChangesSomethingHasToNameItWell(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct{ rule, name, look, change, unasked string }{
		{"identifier", longer, longer, longer, longer},
		{"beginning of an identifier", "bbbb", longer, longer, longer},
		{"ISBN", "0441172717", twinOne, twinOne, twinOne},
		{"whole title", "dune", twinOne, twinOne, twinOne},
		{"whole title without accents", "l'etranger", etranger, etranger, etranger},
		{"word of the title", "messiah", longer, longer, ""},
		{"beginning of a word of the title", "mess", longer, longer, ""},
		{"author", "camus", etranger, "", ""},
	} {
		t.Run(rule.rule, func(t *testing.T) {
			t.Parallel()
			a, said := clitest.NewApp()
			f := BookFinderAmong(a, dunes)
			look, _ := f.Find(t.Context(), rule.name)
			change, _ := f.Only(Called).Find(t.Context(), rule.name)
			if said.Len() > 0 {
				t.Errorf("it says %q", said)
			}
			unasked, err := f.FindUnasked(t.Context(), rule.name, true)
			asked, _ := f.FindUnasked(t.Context(), rule.name, false)
			if look.Identifier != rule.look || change.Identifier != rule.change || unasked.Identifier != rule.unasked || asked.Identifier != rule.look {
				t.Errorf("it finds %q, to change it %q, with --yes %q, without %q", look.Title, change.Title, unasked.Title, asked.Title)
			}
			if rule.unasked == "" && (command.ExitCode(err) != command.ExitNotFound || !strings.Contains(said.String(), rule.look) || !strings.Contains(err.Error(), "With --yes")) {
				t.Errorf("it says %q and %v, exit code %d", said, err, command.ExitCode(err))
			}
		})
	}
}

// What a command did once, it does not do to another book the second time.
func TestWithYesABookThatIsGoneIsNotAnotherOne(t *testing.T) {
	t.Parallel()
	a, said := clitest.NewApp()
	_, err := BookFinderAmong(a, dunes[1:]).FindUnasked(t.Context(), "Dune", true)
	if command.ExitCode(err) != command.ExitNotFound || !strings.Contains(said.String(), "Dune Messiah") {
		t.Errorf("%v\n%s", err, said)
	}
	said.Reset()
	_, err = BookFinderAmong(a, dunes[1:]).FindUnasked(t.Context(), "cooking", true)
	if command.ExitCode(err) != command.ExitNotFound || said.Len() > 0 || strings.Contains(err.Error(), "--yes") {
		t.Errorf("%v\n%s", err, said)
	}
}
