package library

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

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
