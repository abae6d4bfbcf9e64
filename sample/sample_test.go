package sample

import (
	"slices"
	"testing"

	"example.org/library"
)

func TestSampleISBNsAreValid(t *testing.T) {
	t.Parallel()
	for _, b := range slices.Concat(books(), moreBooks()) {
		if warning, isDoubtful := library.CheckISBN(b.ISBN); isDoubtful {
			t.Errorf("%s: %s %s", b.Title, b.ISBN, warning.Message)
		}
	}
}
