package books

import (
	"testing"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

func TestEachFieldIsFromTheFirstSourceThatHasIt(t *testing.T) {
	t.Parallel()
	answers := []api.Lookup{
		{Source: "loc", Book: api.BookFields{Title: "Clean code", Series: "A series", Subjects: []string{"Agile"}}},
		{Source: "dnb", Book: api.BookFields{Title: "Clean Code", Publisher: "mitp", Series: "Another", Volume: "7", Authors: []string{"Robert C. Martin"}}},
	}
	given := func(flag string) bool { return flag == "subject" }
	all := putTogether(answers, given)
	testkit.Diff(t, client.BookFields{BookFields: api.BookFields{
		Title: "Clean code", Series: "A series", Publisher: "mitp", Authors: []string{"Robert C. Martin"},
	}}, all.book)
	testkit.Diff(t, []command.Fact{{"loc", "title, series"}, {"dnb", "author, publisher"}}, all.from)
}

func TestAVolumeIsFilledInWithItsSeriesOnly(t *testing.T) {
	t.Parallel()
	answers := []api.Lookup{{Source: "loc", Book: api.BookFields{Title: "T", Series: "A series", Volume: "7"}}}
	none := func(string) bool { return false }
	testkit.Equal(t, putTogether(answers, none).book.Volume, "7", "volume")
	withSeries := func(flag string) bool { return flag == "series" }
	testkit.Equal(t, putTogether(answers, withSeries).book.Volume, "", "volume beside a series that was given")
}
