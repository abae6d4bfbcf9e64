package finding

import (
	"fmt"
	"testing"

	"example.org/library"
)

// TestSubjectsAreFoldedOnceHoweverManyAreCompared sorts a thousand subjects that as many books have. To fold one
// allocates memory, and a sort compares each ten times.
func TestSubjectsAreFoldedOnceHoweverManyAreCompared(t *testing.T) {
	const subjects = 1000
	tally := NewFacetTally()
	for i := range subjects {
		tally.Add(FacetBook{"en", 1990, []string{fmt.Sprintf("Ünder Water %d", i)}})
	}
	if n := testing.AllocsPerRun(3, func() { tally.Facets(subjects) }); n > subjects {
		t.Errorf("facets of %d subjects allocate %.0f times", subjects, n)
	}
}

// manySubjects are counts of 25 subjects, which 100 to 124 books have each; no other has more than rest.
func manySubjects(rest int) FacetCounts {
	c := FacetCounts{Books: 2000, Subjects: map[string]int{}, Rest: rest}
	for i := range 25 {
		c.Subjects[fmt.Sprintf("Water %d", i)] = 100 + i
	}
	return c
}

// The twentieth of the subjects has 105 books.
func TestFacetsAreCertainIfNoOtherSubjectCanBeAmongThem(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rest   int
		edited map[string]int // subjects of books that came, or went
		want   bool
	}{
		{"no other has as many", 104, nil, true},
		{"another may have as many", 105, nil, false},
		{"another has become more common", 103, map[string]int{"Fire": 2}, false},
		{"not by enough", 102, map[string]int{"Fire": 2}, true},
		{"another spelling is the same subject", 104, map[string]int{"WATER 3": 1}, true},
		{"the twentieth has become rarer", 104, map[string]int{"Water 5": -1}, false},
		{"all are counted", 0, map[string]int{"Fire": 500}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tally := FacetTallyOf(manySubjects(tt.rest))
			for subject, n := range tt.edited {
				for range max(n, -n) {
					if b := (FacetBook{Subjects: []string{subject}}); n > 0 {
						tally.Add(b)
					} else {
						tally.Remove(b)
					}
				}
			}
			if got := tally.IsCertain(); got != tt.want {
				t.Errorf("IsCertain() = %v", got)
			}
		})
	}
}

func TestAFilterByYearsOrLanguageAloneIsCounted(t *testing.T) {
	tally := FacetTallyOf(FacetCounts{Books: 10, Languages: map[string]int{"de": 4}, Years: map[int]int{1990: 3, 1999: 2, 2001: 1}})
	tally.Remove(FacetBook{Language: "de", Published: 1999})
	for _, tt := range []struct {
		name string
		q    library.BookQuery
		n    int
		ok   bool
	}{
		{"from", library.BookQuery{From: 1991}, 2, true},
		{"to", library.BookQuery{To: 1999}, 4, true},
		{"both", library.BookQuery{From: 1999, To: 2000}, 1, true},
		{"language", library.BookQuery{Language: "de"}, 3, true},
		{"a language of no book", library.BookQuery{Language: "fr"}, 0, true},
		{"both filters", library.BookQuery{Language: "de", To: 2000}, 0, false},
		{"series", library.BookQuery{From: 1990, Series: "rivers"}, 0, false},
		{"subject", library.BookQuery{Language: "de", Subjects: []string{"water"}}, 0, false},
		{"none", library.BookQuery{}, 0, false},
	} {
		if n, ok := tally.CountFiltered(tt.q); n != tt.n || ok != tt.ok {
			t.Errorf("%s: %d and %v, want %d and %v", tt.name, n, ok, tt.n, tt.ok)
		}
	}
}
