package library

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
	"example.org/library/internal/validation"
)

// one is a book's fields of which only the field of the struct at an index is given.
func one(index int) (f BookFields) {
	var all BookFields
	testkit.FillFields(&all, "new")
	reflect.ValueOf(&f).Elem().Field(index).Set(reflect.ValueOf(all).Field(index))
	return f
}

func TestEveryFieldOfABookIsCheckedComparedCountedAndFound(t *testing.T) {
	t.Parallel()
	var old BookFields
	testkit.FillFields(&old, "old")
	fields := reflect.TypeFor[BookFields]()
	if len(BookFieldTable) != fields.NumField() {
		t.Errorf("the table has %d fields, the struct %d", len(BookFieldTable), fields.NumField())
	}
	for i := range fields.NumField() {
		name, given := strings.ToLower(fields.Field(i).Name), one(i)
		if got := given.Differences(old); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: differences are %q", name, got)
		}
		want := old
		reflect.ValueOf(&want).Elem().Field(i).Set(reflect.ValueOf(given).Field(i))
		if diff := cmp.Diff(want, given.Over(old)); diff != "" {
			t.Errorf("%s: over (-want +got)\n%s", name, diff)
		}
		if given.TextBytes() == 0 {
			t.Errorf("%s: its bytes are not counted", name)
		}
		notSearched := slices.Contains([]string{"volume", "published", "language"}, name)
		if words := (Book{BookFields: given}).SearchWords(); (len(words) == 0) != notSearched {
			t.Errorf("%s: a search finds %q", name, words)
		}
		bad := BookFieldTable[slices.IndexFunc(BookFieldTable, func(f BookField) bool { return f.Name == name })]
		long, code := given, validation.CodeTooLong
		switch {
		case bad.Number != nil:
			*bad.Number(&long), code = 1<<20, validation.CodeOutOfRange
		case bad.List != nil:
			*bad.List(&long) = []string{strings.Repeat("x", 1<<20)}
		default:
			*bad.Text(&long) = strings.Repeat("x", 1<<20)
		}
		if name == "language" {
			code = validation.CodeUnknownValue
		}
		if !slices.ContainsFunc(long.Check(), func(d Detail) bool { return strings.HasPrefix(d.Field, name) && d.Code == code }) {
			t.Errorf("%s: it may be as long as it likes", name)
		}
	}
}

func TestALetterThatIsWrittenInTwoWaysIsNoDifference(t *testing.T) {
	t.Parallel()
	composed := BookFields{Title: "\u00dcbung", Authors: []string{"Andr\u00e9"}, Subjects: []string{"\u00c4rzte"}}
	decomposed := BookFields{Title: "U\u0308bung", Authors: []string{"Andre\u0301"}, Subjects: []string{"A\u0308rzte"}}
	if got := composed.Differences(decomposed); got != nil {
		t.Errorf("it differs in %v", got)
	}
	if got := composed.Over(decomposed); got.Title != decomposed.Title {
		t.Errorf("an update has changed it to %q", got.Title)
	}
	if got := (BookFields{Title: "Ubung"}).Differences(composed); len(got) != 1 {
		t.Errorf("another letter: %v", got)
	}
}
