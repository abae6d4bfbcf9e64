package fulltext

import (
	"strings"
	"unicode"
)

// Typed is a word of a question and its place.
type Typed struct {
	Start, End int    // in bytes
	Letters    int    // as they were typed
	Word       string // folded
}

// TypedWords returns the words of a question that may be misspelt. Those of scripts without spaces
// between words are left out.
func TypedWords(question string) (words []Typed) {
	start, wasSpaceless := -1, false
	end := func(at int) {
		if start < 0 {
			return
		}
		typed := question[start:at]
		if folded := Sequence(typed); len(folded) == 1 && !strings.ContainsFunc(folded[0], isSpaceless) {
			words = append(words, Typed{start, at, letters(typed), folded[0]})
		}
		start = -1
	}
	for i, r := range question {
		switch {
		case start >= 0 && unicode.Is(unicode.Mn, r): // an accent of its own
		case isSeparator(r):
			end(i)
		case start < 0:
			start, wasSpaceless = i, isSpaceless(r)
		case isSpaceless(r) != wasSpaceless: // a word of another script follows without a space
			end(i)
			start, wasSpaceless = i, isSpaceless(r)
		}
	}
	end(len(question))
	return words
}

func letters(word string) (n int) {
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// IsSpelt reports whether a word of the index is long enough to correct, in a script with an alphabet.
// Numbers are not corrected.
func IsSpelt(word string) bool {
	const some = 3 // one less than the shortest corrected word
	return letters(word) >= some && !strings.ContainsFunc(word, isSpaceless)
}

// Distance returns the number of letters to insert, delete, replace, or swap with their neighbour, to
// make one word of another; no letter twice.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row[0] = i
		for j := 1; j <= len(to); j++ {
			replaced := last[j-1]
			if from[i-1] != to[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}
