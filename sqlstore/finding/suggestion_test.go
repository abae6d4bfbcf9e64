package finding_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/library"
	domain "example.org/library/finding"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore/finding"
	"example.org/library/storetest"
)

// TestSuggestionsAreTheSameWhenTitlesAreDivided suggests values while books are edited and the
// titles are divided at any time: titles that begin so are then found without a search.
func TestSuggestionsAreTheSameWhenTitlesAreDivided(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		for seed := range uint64(testkit.Enough(4)) {
			t.Run(fmt.Sprint(name, " seed ", seed), func(t *testing.T) {
				t.Parallel()
				c := &catalogue{t: t, r: rand.New(rand.NewPCG(seed, 3)), store: open(t, address(t)), books: map[string]library.Book{}}
				c.add(400)
				short := 0
				for range 150 {
					switch what := c.r.IntN(12); {
					case what == 0:
						finding.Divide(t, c.store.Catalogue, 1+c.r.IntN(30))
					case what < 3:
						c.add(1)
					case what < 5:
						c.edit()
					case what == 5:
						c.drop()
					default:
						short += c.suggest()
					}
				}
				if short < 10 {
					t.Errorf("only %d suggestions were found without a search", short)
				}
			})
		}
	}
}

// suggest compares suggestions, and returns 1 if they were found without a search.
func (c *catalogue) suggest() int {
	c.t.Helper()
	typed := []string{"the", "th", "the la", "zen", "ma", "last", "a ", "ja", "maps a", "river", "last the", "marc", "märc", "??", "zzz"}[c.r.IntN(15)]
	want := storetest.SuggestionsByHand(slices.Collect(maps.Values(c.books)), typed)
	got, err := c.store.Suggestions(patient(c.t), domain.NewTyped(typed))
	testkit.NoError(c.t, err)
	if !slices.Equal(got, want) {
		c.t.Fatalf("for %q:\ngot  %v\nwant %v", typed, got, want)
	}
	if finding.TitlesThatBegin(c.t, c.store.Catalogue, domain.NewTyped(typed)) == domain.MaxSuggestions {
		return 1
	}
	return 0
}
