package library

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

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
		notSearched := slices.Contains([]string{"volume", "published", "language", "kind"}, name)
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
		if name == "language" || name == "kind" {
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

func TestWhatAStrangerWroteIsMadeToFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", MaxTitle-1) + " and more"
	for _, c := range []struct {
		rule    string
		given   BookFields
		want    BookFields
		changed []string
	}{
		{"what fits stays", BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}, BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}, nil},
		{"nothing stays nothing", BookFields{}, BookFields{}, nil},
		{"a text is cut by characters", BookFields{Title: long}, BookFields{Title: strings.Repeat("ä", MaxTitle-1)}, []string{"title"}},
		{"a list and its texts are cut", BookFields{Title: "x", Authors: slices.Repeat([]string{strings.Repeat("a", MaxAuthor+1)}, MaxAuthors+1)},
			BookFields{Title: "x", Authors: slices.Repeat([]string{strings.Repeat("a", MaxAuthor)}, MaxAuthors)}, []string{"authors"}},
		{"subjects are cut", BookFields{Title: "x", Subjects: []string{strings.Repeat("s", MaxSubject+1)}}, BookFields{Title: "x", Subjects: []string{strings.Repeat("s", MaxSubject)}}, []string{"subjects"}},
		{"of subjects that are alike one stays", BookFields{Title: "x", Subjects: []string{"Cats", " cats ", "", "Dogs", "CATS"}}, BookFields{Title: "x", Subjects: []string{"Cats", "Dogs"}}, nil},
		{"a list is cut when what is twice in it is gone", BookFields{Title: "x", Subjects: slices.Concat(slices.Repeat([]string{"0"}, MaxSubjects), numberTexts(MaxSubjects+1))},
			BookFields{Title: "x", Subjects: numberTexts(MaxSubjects)}, []string{"subjects"}},
		{"subjects that begin alike", BookFields{Title: "x", Subjects: append([]string{strings.Repeat("s", MaxSubject) + "1", strings.Repeat("s", MaxSubject) + "2"}, numberTexts(MaxSubjects-1)...)},
			BookFields{Title: "x", Subjects: append([]string{strings.Repeat("s", MaxSubject)}, numberTexts(MaxSubjects-1)...)}, []string{"subjects"}},
		{"what fits is kept as it would be", BookFields{Title: " Emma ", Language: "ger"}, BookFields{Title: "Emma", Language: "de"}, nil},
		{"a year that is none, an unknown language and a volume of nothing are left out", BookFields{Title: "x", Published: 12345, Language: "klingon", Volume: "3"}, BookFields{Title: "x"}, []string{"volume", "published", "language"}},
		{"what cannot be is left out", BookFields{Title: "x", ISBN: "1\n2"}, BookFields{Title: "x"}, []string{"isbn"}},
	} {
		got := c.given
		if changed := got.Fit(); !slices.Equal(changed, c.changed) {
			t.Errorf("%s: changed %q, want %q", c.rule, changed, c.changed)
		}
		if len(got.Differences(c.want)) > 0 || len(c.want.Differences(got)) > 0 {
			t.Errorf("%s: %v", c.rule, got)
		}
		if c.want.Language != got.Language || c.want.Title != got.Title || !slices.Equal(c.want.Subjects, got.Subjects) {
			t.Errorf("%s: %v", c.rule, got)
		}
		if wrong := got.Check(); got.Title != "" && len(wrong) > 0 {
			t.Errorf("%s: still wrong: %v", c.rule, wrong)
		}
	}
}

// numberTexts are different texts.
func numberTexts(n int) (texts []string) {
	for i := range n {
		texts = append(texts, strconv.Itoa(i))
	}
	return texts
}

func TestWhatFitsDoesNotKeepTheRestInMemory(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	f := BookFields{Title: long, Authors: slices.Repeat([]string{long}, 10_000), Subjects: append(numberTexts(10_000), long)}
	f.Fit()
	for _, text := range append(slices.Clone(f.Authors), f.Title) {
		if unsafe.StringData(text) == unsafe.StringData(long) {
			t.Fatal("a part of the text keeps all of it")
		}
	}
	if len(f.Authors) != MaxAuthors || cap(f.Authors) > 2*MaxAuthors || len(f.Subjects) != MaxSubjects || cap(f.Subjects) > 2*MaxSubjects {
		t.Errorf("lists of %d and %d texts keep %d and %d", len(f.Authors), len(f.Subjects), cap(f.Authors), cap(f.Subjects))
	}
}
