package storetest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/fulltext"
)

// correct is what a question must be corrected to, computed by comparing each of its words
// with every word of every book; "" if it must not be. Its words have one space between them.
func correct(books []library.Book, question string) string {
	if len(find(books, library.BookQuery{Terms: library.ParseTerms(question)})) > 0 {
		return ""
	}
	having := make(map[string]int)
	for _, b := range books {
		for _, word := range b.SearchWords() {
			having[word]++
		}
	}
	typed := strings.Fields(question)
	replaced := false
	for i, word := range typed {
		letters := 0
		for _, r := range word {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		folded := fulltext.Fold(word)
		begins := false
		for other := range having {
			begins = begins || strings.HasPrefix(other, folded)
		}
		if letters < 4 || begins {
			continue
		}
		near := nearest(having, folded, map[bool]int{false: 1, true: 2}[letters >= 8])
		if near == "" {
			return ""
		}
		typed[i], replaced = near, true
	}
	if !replaced {
		return ""
	}
	return strings.Join(typed, " ")
}

func nearest(having map[string]int, typed string, most int) string {
	type candidate struct {
		word           string
		steps, without int
	}
	best := candidate{"", most, 1}
	for word, n := range having {
		if abs(utf8.RuneCountInString(word)-utf8.RuneCountInString(typed)) > most {
			continue
		}
		c := candidate{word, stepsBetween([]rune(typed), []rune(word)), -n}
		if cmp.Or(cmp.Compare(c.steps, best.steps), cmp.Compare(c.without, best.without), strings.Compare(c.word, best.word)) < 0 {
			best = c
		}
	}
	return best.word
}

// stepsBetween is the distance as it is defined, without a table.
func stepsBetween(a, b []rune) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] && (len(a) < 2 || len(b) < 2 || a[1] == b[1]) {
		a, b = a[1:], b[1:]
	}
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	return stepsMemo(a, b, make(map[[2]int]int))
}

func stepsMemo(a, b []rune, known map[[2]int]int) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	key := [2]int{len(a), len(b)}
	if n, ok := known[key]; ok {
		return n
	}
	least := 1 + min(stepsMemo(a[1:], b, known), stepsMemo(a, b[1:], known))
	replaced := stepsMemo(a[1:], b[1:], known)
	if a[0] != b[0] {
		replaced++
	}
	least = min(least, replaced)
	if len(a) > 1 && len(b) > 1 && slices.Equal(a[:2], []rune{b[1], b[0]}) {
		least = min(least, 1+stepsMemo(a[2:], b[2:], known))
	}
	known[key] = least
	return least
}

func abs(n int) int { return max(n, -n) }
