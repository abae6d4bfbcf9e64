package records

import (
	"context"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

const (
	theC     = "79d2bd9e-6a4a-47b5-bc5e-2f1e2e1f1b3c"
	theGo    = "081314cb-4abf-43e5-9b38-7d7261edb10d"
	etranger = "6c5e4d3b-2a19-4087-b6f5-e4d3c2b1a098"
	twinOne  = "aaaa0001-0000-4000-8000-000000000001"
	twinTwo  = "aaaa0002-0000-4000-8000-000000000002"
	longer   = "bbbb0001-0000-4000-8000-000000000001"
	wordless = "bbbb0002-0000-4000-8000-000000000002"
	cafe     = "bbbb0003-0000-4000-8000-000000000003"
	cafeID   = "cafe0001-0000-4000-8000-000000000001"
)

var moreBooks = []client.BookFields{
	{Identifier: twinOne, BookFields: api.BookFields{Title: "Twins", ISBN: "978-1-86197-876-9"}},
	{Identifier: twinTwo, BookFields: api.BookFields{Title: "twins", ISBN: "1861978766"}},
	{Identifier: longer, BookFields: api.BookFields{Title: "Clean Code in Practice"}},
	{Identifier: wordless, BookFields: api.BookFields{Title: "?!"}},
	{Identifier: cafe, BookFields: api.BookFields{Title: "Café"}},
	{Identifier: cafeID, BookFields: api.BookFields{Title: "Something else"}},
}

func TestBookIsFoundByWhatAPersonCallsIt(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	c := w.Client(t, clitest.Curator, "library_curator")
	var known []api.Book
	for _, f := range moreBooks {
		if _, err := c.AddBook(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	known, err := command.Collect(c.AllBooks(t.Context(), client.BookQuery{}))
	testkit.NoError(t, err)
	for _, rule := range []struct {
		rule, name string
		want       string // identifier, or what is said
		code       int
	}{
		{"identifier", clitest.CleanCode, clitest.CleanCode, 0},
		{"identifier in capitals", strings.ToUpper(clitest.CleanCode), clitest.CleanCode, 0},
		{"identifier of nothing", "00000000-0000-4000-8000-000000000000", "There is no book", command.ExitNotFound},
		{"beginning of an identifier", "f9bf70d6", clitest.CleanCode, 0},
		{"beginning in capitals", "F9BF", clitest.CleanCode, 0},
		{"beginning behind a hyphen", "f9bf70d6-e5", clitest.CleanCode, 0},
		{"beginning without its hyphens", "f9bf70d6e56d4c", clitest.CleanCode, 0},
		{"beginning that is too short", "f9b", "There is no book", command.ExitNotFound},
		{"beginning of several", "aaaa", "more than one book", command.ExitFailed},
		{"beginning of none", "dddd", "There is no book", command.ExitNotFound},
		{"ISBN as it was typed", "978-0-13-110362-7", theC, 0},
		{"ISBN without hyphens", "9780131103627", theC, 0},
		{"ISBN with spaces", " 978 0 13 110362 7 ", theC, 0},
		{"the other ISBN", "0-13-110362-8", theC, 0},
		{"ISBN with its name", "ISBN: 978-0-13-110362-7", theC, 0},
		{"ISBN as a name of the web", "urn:isbn:9780131103627", theC, 0},
		{"ISBN with the kind of it", "ISBN-13 978-0-13-110362-7", theC, 0},
		{"ISBN of two books", "9781861978769", "more than one book", command.ExitFailed},
		{"ISBN of none", "9780000000002", "There is no book", command.ExitNotFound},
		{"title", "The C Programming Language", theC, 0},
		{"title in another case", "the c programming LANGUAGE", theC, 0},
		{"title without accents", "l'etranger", etranger, 0},
		{"title with accents that it has not", "Cléan Códe", clitest.CleanCode, 0},
		{"title with other spaces", " Clean   Code ", clitest.CleanCode, 0},
		{"whole title goes before a longer one", "Clean Code", clitest.CleanCode, 0},
		{"title of two books", "TWINS", "more than one book", command.ExitFailed},
		{"title without a letter", "?!", wordless, 0},
		{"nothing but signs", "!?", "There is no book", command.ExitNotFound},
		{"nothing", "", "There is no book", command.ExitNotFound},
		{"words of one title", "c language", theC, 0},
		{"beginnings of words of one title", "go progr", theGo, 0},
		{"words of several titles", "programming", "more than one book", command.ExitFailed},
		{"words in the title go before words elsewhere", "practice", longer, 0},
		{"words of a title and its author", "kernighan ritchie", theC, 0},
		{"words elsewhere in several", "kernighan", "more than one book", command.ExitFailed},
		{"words elsewhere in one", "camus", etranger, 0},
		{"words of none", "cooking", "There is no book", command.ExitNotFound},
		{"title that could be an identifier", "cafe", cafe, 0},
		{"identifier longer than the title", "cafe0", cafeID, 0},
	} {
		t.Run(rule.rule, func(t *testing.T) {
			t.Parallel()
			for where, finder := range map[string]func(*command.App) *Finder[api.Book]{
				"all books": func(a *command.App) *Finder[api.Book] { return BookFinder(a, c) },
				"a few":     func(a *command.App) *Finder[api.Book] { return BookFinderAmong(a, known) },
			} {
				a, said := clitest.NewApp()
				b, err := finder(a).Find(context.Background(), rule.name)
				switch {
				case command.ExitCode(err) != rule.code:
					t.Errorf("%s: exit code %d, want %d: %v", where, command.ExitCode(err), rule.code, err)
				case err == nil && b.Identifier != rule.want:
					t.Errorf("%s: it is %s (%s)", where, b.Title, b.Identifier)
				case err != nil && !strings.Contains(err.Error(), rule.want):
					t.Errorf("%s: it says %q", where, err)
				case rule.code == command.ExitFailed && strings.Count(said.String(), "\n") < 2:
					t.Errorf("%s: the choices are %q", where, said)
				case rule.code != command.ExitFailed && said.Len() > 0:
					t.Errorf("%s: it says %q", where, said)
				}
			}
		})
	}
}

func TestNoMoreThanTenChoicesAreShown(t *testing.T) {
	t.Parallel()
	var books []api.Book
	for range 30 {
		books = append(books, api.Book{Identifier: clitest.CleanCode, BookFields: api.BookFields{Title: "Copy"}})
	}
	a, said := clitest.NewApp()
	_, err := BookFinderAmong(a, books).Find(t.Context(), "copy")
	if command.ExitCode(err) != command.ExitFailed || strings.Count(said.String(), "\n") != MaxChoices {
		t.Errorf("%v\n%s", err, said)
	}
}

// A name that fits one of the books that were looked at may fit others.
func TestListThatIsTooLongProvesNothing(t *testing.T) {
	t.Parallel()
	books := make([]api.Book, maxWalked+1)
	for i := range books {
		books[i] = api.Book{Identifier: clitest.CleanCode, BookFields: api.BookFields{Title: "Copy"}}
	}
	books[0] = api.Book{Identifier: theC, BookFields: api.BookFields{Title: "Copy of another"}}
	a, _ := clitest.NewApp()
	f := BookFinderAmong(a, books)
	for _, name := range []string{"79d2", "another"} {
		b, err := f.Find(t.Context(), name)
		if name == "another" { // it is the only one that the search finds
			if err != nil || b.Identifier != theC {
				t.Errorf("%s: %v %v", name, b, err)
			}
			continue
		}
		if command.ExitCode(err) != command.ExitFailed {
			t.Errorf("%s: %v %v", name, b, err)
		}
	}
}
