package library

import (
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

// Words returns the different words of some texts, folded: the runs of letters
// and digits in them.
func Words(texts ...string) []string {
	var words []string
	seen := make(map[string]bool)
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(Fold(text), isSeparator) {
			if w = cut(w, maxWord); !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return words
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

// SearchWords is what a search for the book can hit.
func (b Book) SearchWords() []string {
	texts := append([]string{b.Title, b.ISBN}, isbnForms(b.ISBN)...)
	return Words(append(append(texts, b.Authors...), b.Description)...)
}

// AuthorWords is what a search among the authors can hit.
func (b Book) AuthorWords() []string { return Words(b.Authors...) }

// SearchWords is what a search for the user can hit.
func (u User) SearchWords() []string { return Words(u.FirstName, u.LastName, u.Email) }

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
