package finding

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
)

// TestAWordIsLookedUpUnlessItIsManyTimesAsCommonAsAnother has words of all, 100, 30, 12 and no books of a sample.
func TestAWordIsLookedUpUnlessItIsManyTimesAsCommonAsAnother(t *testing.T) {
	var c Catalogue
	c.words.sample.taken = time.Now().Add(time.Hour)
	for i := range sampleSize {
		words := " the"
		for word, books := range map[string]int{"of": 100, "university": 30, "history": 12} {
			if i < books {
				words += " " + word
			}
		}
		c.words.sample.books = append(c.words.sample.books, words)
	}
	for question, want := range map[string][2]string{
		"the of":                 {"the of", ""},
		"history university":     {"history university", ""},
		"history of":             {"history", "of"},
		"history of university":  {"history university", "of"},
		"the university":         {"university", "the"},
		"the xylograph":          {"xylograph", "the"},
		"xylograph history":      {"xylograph", "history"},
		"the":                    {"the", ""},
		"xylograph quartz":       {"xylograph quartz", ""},
		"the history university": {"history university", "the"},
	} {
		q := c.plan(t.Context(), library.BookQuery{Terms: library.ParseTerms(question)})
		if diff := cmp.Diff(want, [2]string{joined(q.Terms), joined(q.common)}); diff != "" {
			t.Errorf("%q (-want +got)\n%s", question, diff)
		}
	}
}

func joined(terms []library.Term) (words string) {
	for _, t := range terms {
		for _, word := range t.Words {
			words += " " + word
		}
	}
	return words[min(len(words), 1):]
}
