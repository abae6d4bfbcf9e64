// Package fulltext folds texts and divides them into the words of a search index. Start reading at [Index] and [Words].
package fulltext

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxWord bounds a word of the search index, in code points; longer ones are cut, in the index and in
// the question alike.
const MaxWord = 255

// Fold removes differences without meaning for a search: case and accents.
func Fold(s string) string {
	if isFoldedASCII(s) {
		return s
	}
	s = norm.NFD.String(s)
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
	// Fold after the accents are gone, compose the rest (Hangul) again.
	return strokes.Replace(norm.NFC.String(cases.Fold().String(s)))
}

// FoldCase removes case, and nothing else.
func FoldCase(s string) string {
	if isFoldedASCII(s) {
		return s
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

// strokes are letters with an accent that Unicode does not separate.
var strokes = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ħ", "h", "ŧ", "t", "ƀ", "b", "ı", "i", "æ", "ae", "œ", "oe",
)

func isFoldedASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// Words returns the different words of a query, folded: the runs of letters and digits in it. Chinese, Japanese and
// Korean are searched by runs of characters, because words have no spaces between them: see Index.
func Words(texts ...string) []string {
	return words(texts, func(run []rune) (asked [][]rune) {
		for len(run) > maxPart {
			asked = append(asked, run[:maxPart])
			run = run[min(maxPart, len(run)-maxPart):]
		}
		return append(asked, run)
	})
}

// Index returns the words of texts for a search index. A match begins a word; so a run of Chinese, Japanese or Korean
// characters is in the index once from each of its characters on, and any part of it is found. A word with umlauts is
// in the index a second time with two letters for each of them.
func Index(texts ...string) []string {
	all := slices.Clip(texts)
	for _, text := range texts {
		if written := WithoutUmlauts(text); written != text {
			all = append(all, written)
		}
	}
	return words(all, parts)
}

// WithoutUmlauts returns a text with ae, oe and ue for its umlauts.
func WithoutUmlauts(text string) string { return umlauts.Replace(norm.NFC.String(text)) }

var umlauts = strings.NewReplacer("ä", "ae", "Ä", "Ae", "ö", "oe", "Ö", "Oe", "ü", "ue", "Ü", "Ue")

// maxPart limits the characters of such a run in an index word. A longer run is searched by several of them.
const maxPart = 4

// parts are the words from each character of a run on.
func parts(run []rune) [][]rune {
	all := make([][]rune, len(run))
	for i := range run {
		all[i] = run[i:min(i+maxPart, len(run))]
	}
	return all
}

// words are the different words of some texts. Runs of characters that are written without spaces are divided.
func words(texts []string, divide func(run []rune) [][]rune) []string {
	var words []string
	seen := make(map[string]bool)
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(Fold(text), isSeparator) {
			for run, isSpaceless := range scriptRuns(w) {
				if !isSpaceless {
					add(Cut(run, MaxWord))
					continue
				}
				for _, part := range divide([]rune(run)) {
					add(string(part))
				}
			}
		}
	}
	return words
}

// Sequence returns all words of a text in their order, folded. It does not divide text without spaces.
func Sequence(text string) (all []string) {
	for _, w := range strings.FieldsFunc(Fold(text), isSeparator) {
		for run := range scriptRuns(w) {
			all = append(all, Cut(run, MaxWord))
		}
	}
	return all
}

// scriptRuns divides a word where scripts with spaces between words meet those without.
func scriptRuns(word string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		begin, was := 0, false
		for i, r := range word {
			is := isSpaceless(r)
			if i > begin && is != was {
				if !yield(word[begin:i], was) {
					return
				}
				begin = i
			}
			was = is
		}
		if begin < len(word) {
			yield(word[begin:], was)
		}
	}
}

// isSpaceless reports whether words of this character are written without spaces
// between them. Korean has spaces, but its words are compounds with endings.
func isSpaceless(r rune) bool {
	return r >= 0x1100 && (r == 'ー' || r == 'ｰ' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo))
}

func isSeparator(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// Cut leaves at most as many code points of a text.
func Cut(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i]
		}
		n++
	}
	return s
}
