package library

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxWord bounds a word of the search index, in code points; what is longer is
// cut, in the index and in the question alike.
const maxWord = 255

// Fold removes what a reader does not care about when looking for something:
// case and accents.
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
	// Fold after the accents are gone, compose what is left (Hangul) again.
	return strokes.Replace(norm.NFC.String(cases.Fold().String(s)))
}

// strokes are the letters whose accent Unicode takes for a part of the letter.
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

// TitleKey is what titles are ordered by, byte by byte; titles with the same
// key are ordered by themselves. It is no longer than a title, so that it fits
// into any database's index.
func TitleKey(title string) string { return cut(Fold(title), MaxTitle) }

// Words returns the different words of a query, folded: the runs of letters and
// digits in it. Chinese, Japanese and Korean are searched by runs of characters,
// because words have no spaces between them: see IndexWords.
func Words(texts ...string) []string {
	return words(texts, func(run []rune) (asked [][]rune) {
		for len(run) > maxPart {
			asked = append(asked, run[:maxPart])
			run = run[min(maxPart, len(run)-maxPart):]
		}
		return append(asked, run)
	})
}

// IndexWords returns the words that a question for something in the texts can hit. A
// hit begins a word; so a run of Chinese, Japanese or Korean characters is in the
// index once from each of its characters on, and any part of it is found.
func IndexWords(texts ...string) []string { return words(texts, parts) }

// maxPart is how many characters of such a run an index word has at most. A
// longer run is searched by several of them.
const maxPart = 4

// parts are the words from each character of a run on.
func parts(run []rune) [][]rune {
	all := make([][]rune, len(run))
	for i := range run {
		all[i] = run[i:min(i+maxPart, len(run))]
	}
	return all
}

// words are the different words of some texts. Runs of characters that are written
// without spaces are divided.
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
					add(cut(run, maxWord))
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

func cut(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i]
		}
		n++
	}
	return s
}

// SearchWords is what a search for the book can hit: every field.
func (b Book) SearchWords() []string { return IndexWords(append(b.texts(), isbnForms(b.ISBN)...)...) }

// AuthorWords is what a search among the authors can hit.
func (b Book) AuthorWords() []string { return IndexWords(b.Authors...) }

// SearchWords is what a search for the user can hit.
func (u User) SearchWords() []string { return IndexWords(u.FirstName, u.LastName, u.Email) }

// CardsLike is how a card may begin that a question asks for: as it was typed, or in
// capitals. There is nothing if it cannot be one.
func CardsLike(question string) []string {
	if !IsCode(question) {
		return nil
	}
	return slices.Compact([]string{question, strings.ToUpper(question)})
}

// Term is one piece of a question. It matches a record if each of its words
// begins a word of the record, or if Number, where there is one, does.
type Term struct {
	Words  []string
	Number string // the piece without its hyphens, when it may be an ISBN
}

// ParseTerms splits a question at white space. Pieces without a word in them,
// such as a lone ampersand, ask for nothing; no terms match everything.
func ParseTerms(question string) []Term {
	var terms []Term
	for piece := range strings.FieldsSeq(question) {
		t := Term{Words: Words(piece)}
		if len(t.Words) == 0 {
			continue
		}
		if n := strings.ToLower(compactISBN(piece)); n != piece && digits(strings.TrimSuffix(n, "x")) {
			t.Number = n
		}
		if !slices.ContainsFunc(terms, t.equal) {
			terms = append(terms, t)
		}
	}
	return terms
}

// matches reports whether the term is in a record with these words.
func (t Term) matches(words []string) bool {
	begins := func(start string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, start) })
	}
	return !slices.ContainsFunc(t.Words, func(w string) bool { return !begins(w) }) || t.Number != "" && begins(t.Number)
}

func (t Term) equal(u Term) bool { return t.Number == u.Number && slices.Equal(t.Words, u.Words) }
