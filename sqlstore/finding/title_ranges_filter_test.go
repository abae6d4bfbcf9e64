package finding

import (
	"bytes"
	"testing"

	"example.org/library"
)

// TestAFilterThatLeavesLittleIsNotLookedForInAllRanges has two words in 100 ranges: the rarer one in 800 books.
func TestAFilterThatLeavesLittleIsNotLookedForInAllRanges(t *testing.T) {
	ranges := titleRanges{words: [][]byte{bytes.Repeat([]byte{20}, 100), bytes.Repeat([]byte{8}, 100)}}
	for _, tt := range []struct {
		name  string
		q     library.BookQuery
		total int
		want  int
	}{
		{"without a filter, as many as match", library.BookQuery{}, 300, 300},
		{"a filter that leaves little, an eighth of the books with the words", library.BookQuery{Language: "de"}, 5, 100},
		{"a filter that leaves nothing", library.BookQuery{From: 1990}, 0, 100},
		{"a filter that leaves most, as many as it leaves", library.BookQuery{From: 1501}, 290, 290},
	} {
		q := bookQuery{BookQuery: tt.q, BookBatch: library.BookBatch{Total: tt.total}}
		if got := ranges.matching(q); got != tt.want {
			t.Errorf("%s: %d books may be looked at, want %d", tt.name, got, tt.want)
		}
	}
}
