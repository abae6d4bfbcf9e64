package bookfile_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

func TestExportsOfOtherProgramsHaveTheRightAuthorsAndISBNs(t *testing.T) {
	t.Parallel()
	one := 1
	for file, want := range map[string][]bookfile.Book{
		"goodreads.csv": {
			{BookFields: api.BookFields{Title: "Circe", Authors: []string{"Madeline Miller"}, Publisher: "Little, Brown and Company", Published: 2018, ISBN: "0316556343"}},
			{BookFields: api.BookFields{Title: "Good Omens: The Nice and Accurate Prophecies of Agnes Nutter, Witch", Authors: []string{"Terry Pratchett", "Neil Gaiman"}, ISBN: "0060853980", Publisher: "HarperTorch", Published: 2006}},
			{BookFields: api.BookFields{Title: "The Lord of the Rings", Authors: []string{"J.R.R. Tolkien", "Alan Lee", "Christopher Tolkien", "Martin Luther King, Jr."}}},
		},
		"librarything.tsv": {
			{BookFields: api.BookFields{Title: "Emma", Authors: []string{"Jane Austen"}, ISBN: "0141439580", Subjects: []string{"England > Fiction", "Young women > Fiction"}, Publisher: "Penguin Classics", Published: 2003}},
			{BookFields: api.BookFields{Title: "Good Omens", Authors: []string{"Terry Pratchett", "Neil Gaiman", "Martin Jarvis"}, ISBN: "9780060853983", Publisher: "HarperTorch", Published: 2006}},
			{BookFields: api.BookFields{Title: "Beowulf", Authors: []string{"Anonymous"}}},
		},
		"calibre.csv": {
			{BookFields: api.BookFields{Title: "Good Omens", Authors: []string{"Terry Pratchett", "Neil Gaiman"}, ISBN: "9780060853983", Publisher: "HarperTorch", Published: 2006, Language: "en"}},
			{BookFields: api.BookFields{Title: "House Style", Authors: []string{"Simon & Schuster"}, ISBN: "0743273567", Language: "en"}},
		},
		"libib.csv": {
			{BookFields: api.BookFields{Title: "Good Omens", Authors: []string{"Terry Pratchett", "Neil Gaiman"}, ISBN: "9780060853983", Description: "The world will end on Saturday.", Publisher: "HarperTorch", Published: 2006}, Copies: &one},
			{BookFields: api.BookFields{Title: "Emma", Authors: []string{"Jane Austen"}, ISBN: "0141439580", Publisher: "Penguin", Published: 2003}, Copies: &one},
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/" + file)
			testkit.NoError(t, err)
			testkit.Diff(t, want, booksOf(t, string(text), bookfile.CSV))
		})
	}
}

func TestHabitsAreThoseOfTheProgramThatHasThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, text, want string }{
		{"an ampersand elsewhere is part of a name", "title,authors\nT,Smith & Sons\n", "Smith & Sons"},
		{"a comma elsewhere is part of a name", "title,author\nT,\"Austen, Jane\"\n", "Austen, Jane"},
		{"a bar elsewhere is part of a name", "title,author\nT,A|B\n", "A|B"},
		{"Goodreads without its column of authors", "Title,Author l-f\nT,\"Austen, Jane\"\n", "Jane Austen"},
		{"Calibre without its column of authors", "title,author_sort\nT,\"Pratchett, Terry & Gaiman, Neil\"\n", "Terry Pratchett|Neil Gaiman"},
		{"Calibre with one column that is its own", "title_sort,title,authors\nx,T,A & B\n", "A|B"},
		{"LibraryThing with a suffix", "Title,Primary Author\nT,\"King, Martin Luther, Jr.\"\n", "Martin Luther King Jr."},
		{"LibraryThing in capitals and marks", "'TITLE'\t'PRIMARY AUTHOR'\nT\tAusten, Jane\n", "Jane Austen"},
	} {
		got, err := readAll(t, c.text, bookfile.Options{Format: bookfile.CSV})
		if diff := cmp.Diff([]string{book(2, "", "", "T", c.want, "")}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.rule, err, diff)
		}
	}
}

func TestACellWithSeveralISBNsHasTheFirst(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"9780132350884 | 0132350882": "9780132350884", "0132350883 | 0132350882 (pbk.)": "0132350882", "978-0-13-235088-4; 0132350882": "978-0-13-235088-4",
		"1, 2": "1, 2", "978 0 13 235088 4": "978 0 13 235088 4",
	} {
		got := booksOf(t, "title|isbn\nT|\""+cell+"\"\n", bookfile.CSV)
		if len(got) != 1 || got[0].ISBN != want {
			t.Errorf("%q: %+v, want %q", cell, got, want)
		}
	}
}
