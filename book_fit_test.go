package library

import (
	"slices"
	"strings"
	"testing"
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
		{"a year that is none, an unknown language and a volume of nothing are left out", BookFields{Title: "x", Published: 12345, Language: "klingon", Volume: "3"}, BookFields{Title: "x"}, []string{"volume", "published", "language"}},
		{"what cannot be is left out", BookFields{Title: "x", ISBN: "1\n2"}, BookFields{Title: "x"}, []string{"isbn"}},
	} {
		got := c.given
		if changed := got.Fit(); !slices.Equal(changed, c.changed) {
			t.Errorf("%s: changed %q, want %q", c.rule, changed, c.changed)
		}
		if len(got.differences(c.want)) > 0 || len(c.want.differences(got)) > 0 {
			t.Errorf("%s: %v", c.rule, got)
		}
		if wrong := got.Check(); got.Title != "" && len(wrong) > 0 {
			t.Errorf("%s: still wrong: %v", c.rule, wrong)
		}
	}
}
