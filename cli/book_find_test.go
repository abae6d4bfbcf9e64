package cli

import (
	"context"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/client"
)

// cleanCode is the identifier of a book among the samples.
const cleanCode = "f9bf70d6-e56d-4cab-be6b-294cd05f599f"

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
	{Identifier: twinOne, Title: "Twins", ISBN: "978-1-86197-876-9"},
	{Identifier: twinTwo, Title: "twins", ISBN: "1861978766"},
	{Identifier: longer, Title: "Clean Code in Practice"},
	{Identifier: wordless, Title: "?!"},
	{Identifier: cafe, Title: "Café"},
	{Identifier: cafeID, Title: "Something else"},
}

func TestBookIsFoundByWhatAPersonCallsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(t, curator, "library_curator")
	var known []api.Book
	for _, f := range moreBooks {
		if _, err := c.AddBook(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	known, err := collect(c.AllBooks(t.Context(), client.BookQuery{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []struct {
		rule, name string
		want       string // identifier, or what is said
		code       int
	}{
		{"identifier", cleanCode, cleanCode, 0},
		{"identifier in capitals", strings.ToUpper(cleanCode), cleanCode, 0},
		{"identifier of nothing", "00000000-0000-4000-8000-000000000000", "There is no book", ExitNotFound},
		{"beginning of an identifier", "f9bf70d6", cleanCode, 0},
		{"beginning in capitals", "F9BF", cleanCode, 0},
		{"beginning behind a hyphen", "f9bf70d6-e5", cleanCode, 0},
		{"beginning without its hyphens", "f9bf70d6e56d4c", cleanCode, 0},
		{"beginning that is too short", "f9b", "There is no book", ExitNotFound},
		{"beginning of several", "aaaa", "more than one book", ExitFailed},
		{"beginning of none", "dddd", "There is no book", ExitNotFound},
		{"ISBN as it was typed", "978-0-13-110362-7", theC, 0},
		{"ISBN without hyphens", "9780131103627", theC, 0},
		{"ISBN with spaces", " 978 0 13 110362 7 ", theC, 0},
		{"the other ISBN", "0-13-110362-8", theC, 0},
		{"ISBN with its name", "ISBN: 978-0-13-110362-7", theC, 0},
		{"ISBN as a name of the web", "urn:isbn:9780131103627", theC, 0},
		{"ISBN with the kind of it", "ISBN-13 978-0-13-110362-7", theC, 0},
		{"ISBN of two books", "9781861978769", "more than one book", ExitFailed},
		{"ISBN of none", "9780000000002", "There is no book", ExitNotFound},
		{"title", "The C Programming Language", theC, 0},
		{"title in another case", "the c programming LANGUAGE", theC, 0},
		{"title without accents", "l'etranger", etranger, 0},
		{"title with accents that it has not", "Cléan Códe", cleanCode, 0},
		{"title with other spaces", " Clean   Code ", cleanCode, 0},
		{"whole title goes before a longer one", "Clean Code", cleanCode, 0},
		{"title of two books", "TWINS", "more than one book", ExitFailed},
		{"title without a letter", "?!", wordless, 0},
		{"nothing but signs", "!?", "There is no book", ExitNotFound},
		{"nothing", "", "There is no book", ExitNotFound},
		{"words of one title", "c language", theC, 0},
		{"beginnings of words of one title", "go progr", theGo, 0},
		{"words of several titles", "programming", "more than one book", ExitFailed},
		{"words in the title go before words elsewhere", "practice", longer, 0},
		{"words of a title and its author", "kernighan ritchie", theC, 0},
		{"words elsewhere in several", "kernighan", "more than one book", ExitFailed},
		{"words elsewhere in one", "camus", etranger, 0},
		{"words of none", "cooking", "There is no book", ExitNotFound},
		{"title that could be an identifier", "cafe", cafe, 0},
		{"identifier longer than the title", "cafe0", cafeID, 0},
	} {
		t.Run(rule.rule, func(t *testing.T) {
			t.Parallel()
			for where, finder := range map[string]func(*app) *finder[api.Book]{
				"all books": func(a *app) *finder[api.Book] { return a.bookFinder(c) },
				"a few":     func(a *app) *finder[api.Book] { return a.bookFinderAmong(known) },
			} {
				a, said := newTestApp()
				b, err := finder(a).find(context.Background(), rule.name)
				switch {
				case exitCode(err) != rule.code:
					t.Errorf("%s: exit code %d, want %d: %v", where, exitCode(err), rule.code, err)
				case err == nil && b.Identifier != rule.want:
					t.Errorf("%s: it is %s (%s)", where, b.Title, b.Identifier)
				case err != nil && !strings.Contains(err.Error(), rule.want):
					t.Errorf("%s: it says %q", where, err)
				case rule.code == ExitFailed && strings.Count(said.String(), "\n") < 2:
					t.Errorf("%s: the choices are %q", where, said)
				case rule.code != ExitFailed && said.Len() > 0:
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
		books = append(books, api.Book{Identifier: cleanCode, Title: "Copy"})
	}
	a, said := newTestApp()
	_, err := a.bookFinderAmong(books).find(t.Context(), "copy")
	if exitCode(err) != ExitFailed || strings.Count(said.String(), "\n") != maxChoices {
		t.Errorf("%v\n%s", err, said)
	}
}

// A name that fits one of the books that were looked at may fit others.
func TestListThatIsTooLongProvesNothing(t *testing.T) {
	t.Parallel()
	books := make([]api.Book, maxWalked+1)
	for i := range books {
		books[i] = api.Book{Identifier: cleanCode, Title: "Copy"}
	}
	books[0] = api.Book{Identifier: theC, Title: "Copy of another"}
	a, _ := newTestApp()
	f := a.bookFinderAmong(books)
	for _, name := range []string{"79d2", "another"} {
		b, err := f.find(t.Context(), name)
		if name == "another" { // it is the only one that the search finds
			if err != nil || b.Identifier != theC {
				t.Errorf("%s: %v %v", name, b, err)
			}
			continue
		}
		if exitCode(err) != ExitFailed {
			t.Errorf("%s: %v %v", name, b, err)
		}
	}
}

func TestUserIsFoundByWhatAPersonCallsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.client(t, admin, "library_admin")
	if _, err := c.AddUser(t.Context(), client.UserFields{Email: "bruce@example.com", FirstName: "Bruce", LastName: "Wayne-Kane", Card: "R0001"}); err != nil {
		t.Fatal(err)
	}
	const wayne = "c47641ee-e63c-4c13-8cd2-1c2490aee0b3"
	alsoCurator := w.client(t, admin, "library_admin library_curator") // may ask for a card
	if u, err := usersByCard(t.Context(), alsoCurator, "R0001"); err != nil || len(u) != 1 || u[0].Email != "bruce@example.com" {
		t.Errorf("%v %v", u, err)
	}
	for _, rule := range []struct {
		rule, name, want string
		code             int
	}{
		{"identifier", wayne, wayne, 0},
		{"beginning of an identifier", "c47641", wayne, 0},
		{"e-mail address", "bruce.wayne@example.com", wayne, 0},
		{"e-mail address in another case", "Bruce.Wayne@Example.com", wayne, 0},
		{"e-mail address of nobody", "bruce.w@example.com", "There is no user", ExitNotFound},
		{"whole name goes before a longer one", "bruce wayne", wayne, 0},
		{"last name first", "Wayne, Bruce", wayne, 0},
		{"name of several", "bruce", "more than one user", ExitFailed},
		{"card", "R0001", "bruce@example.com", 0},
		{"beginning of a card", "R000", "bruce@example.com", 0},
		{"words of one", "parker", "40c5ad0d-41f7-494b-8157-33fad16012aa", 0},
		{"nobody", "joker", "There is no user", ExitNotFound},
	} {
		t.Run(rule.rule, func(t *testing.T) {
			t.Parallel()
			a, said := newTestApp()
			u, err := a.userFinder(c).find(context.Background(), rule.name)
			switch {
			case exitCode(err) != rule.code:
				t.Errorf("exit code %d, want %d: %v", exitCode(err), rule.code, err)
			case err == nil && u.Identifier != rule.want && u.Email != rule.want:
				t.Errorf("it is %s", u.Email)
			case err != nil && !strings.Contains(err.Error(), rule.want):
				t.Errorf("it says %q", err)
			case rule.code == ExitFailed && strings.Count(said.String(), "\n") < 2:
				t.Errorf("the choices are %q", said)
			}
		})
	}
}
