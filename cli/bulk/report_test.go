package bulk

import (
	"testing"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

func TestRowsThatNeedAttentionAreDescribed(t *testing.T) {
	t.Parallel()
	detail := func(field, message string) api.Detail { return api.Detail{Field: field, Message: message} }
	other := "is different in the library"
	for _, c := range []struct {
		rule string
		row  reportedRow
		want string
	}{
		{"added", reportedRow{Outcome: client.Added}, ""},
		{"unchanged", reportedRow{Outcome: client.Unchanged}, ""},
		{"updated", reportedRow{Outcome: client.Updated}, ""},
		{"unchanged, again", reportedRow{Outcome: client.Unchanged, SameAsLine: 5}, "is the same book as line 5"},
		{"updated, again", reportedRow{Outcome: client.Updated, SameAsLine: 5}, "is the same book as line 5, and has replaced what that says"},
		{"differs", reportedRow{Outcome: client.Differs, Details: []api.Detail{detail("title", other), detail("isbn", other)}}, "differs from the library in title, isbn"},
		{"differs, again", reportedRow{Outcome: client.Differs, SameAsLine: 5, Details: []api.Detail{detail("title", other)}}, "is the same book as line 5, and differs in title"},
		{"differs from several", reportedRow{Outcome: client.Differs, Code: "book_differs", Message: "Which one?", Details: []api.Detail{{Field: "identifier", Message: "may be 1", Code: "candidate"}}}, "Which one? (identifier may be 1)"},
		{"invalid", reportedRow{Outcome: client.Invalid, Code: "invalid", Message: "Wrong.", Details: []api.Detail{detail("title", "is required"), detail("authors[0]", "is required")}}, "title is required; authors[0] is required"},
		{"invalid without details", reportedRow{Outcome: client.Invalid, Code: "invalid", Message: "Wrong."}, "Wrong."},
		{"a warning", reportedRow{Outcome: client.Added, Warnings: []api.Warning{{Field: "isbn", Message: "is odd"}}}, "isbn is odd"},
		{"a warning and more", reportedRow{Outcome: client.Unchanged, SameAsLine: 5, Warnings: []api.Warning{{Field: "isbn", Message: "is odd"}}}, "is the same book as line 5; isbn is odd"},
		{"ambiguous", reportedRow{Outcome: client.Invalid, Code: "ambiguous_book", Message: "Which one?", Details: []api.Detail{{Field: "identifier", Message: "may be 1", Code: "candidate"}}}, "Which one? (identifier may be 1)"},
	} {
		testkit.Equal(t, describe(c.row, Nouns{One: "book", Many: "books"}), c.want, c.rule)
	}
}
