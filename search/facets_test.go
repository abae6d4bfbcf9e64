package search

import (
	"fmt"
	"testing"
)

// TestSubjectsAreFoldedOnceHoweverManyAreCompared sorts a thousand subjects that as many books have. To fold one
// allocates memory, and a sort compares each ten times.
func TestSubjectsAreFoldedOnceHoweverManyAreCompared(t *testing.T) {
	const subjects = 1000
	tally := NewFacetTally()
	for i := range subjects {
		tally.Add(FacetBook{"en", "book", 1990, []string{fmt.Sprintf("Ünder Water %d", i)}})
	}
	if n := testing.AllocsPerRun(3, func() { tally.Facets(subjects) }); n > subjects {
		t.Errorf("facets of %d subjects allocate %.0f times", subjects, n)
	}
}
