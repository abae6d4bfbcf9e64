package library

import (
	"slices"
	"strings"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
)

// TitleKey is what titles are ordered by, byte by byte; titles with the same
// key are ordered by themselves. It is no longer than a title, so that it fits
// into any database's index.
func TitleKey(title string) string { return fulltext.Cut(fulltext.Fold(title), MaxTitle) }

// SearchWords is what a search for the book can hit.
func (b Book) SearchWords() []string {
	return fulltext.Index(append(b.searched(), isbn.Forms(b.ISBN)...)...)
}

// AuthorWords is what a search among the authors can hit.
func (b Book) AuthorWords() []string { return fulltext.Index(b.Authors...) }

// SearchWords is what a search for the user can hit.
func (u User) SearchWords() []string { return fulltext.Index(u.FirstName, u.LastName, u.Email) }

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
		t := Term{Words: fulltext.Words(piece)}
		if len(t.Words) == 0 {
			continue
		}
		if n := strings.ToLower(isbn.Compact(piece)); n != piece && isbn.Digits(strings.TrimSuffix(n, "x")) {
			t.Number = n
		}
		if !slices.ContainsFunc(terms, t.equal) {
			terms = append(terms, t)
		}
	}
	return terms
}

// Matches reports whether the term is in a record with these words.
func (t Term) Matches(words []string) bool {
	begins := func(start string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, start) })
	}
	return !slices.ContainsFunc(t.Words, func(w string) bool { return !begins(w) }) || t.Number != "" && begins(t.Number)
}

func (t Term) equal(u Term) bool { return t.Number == u.Number && slices.Equal(t.Words, u.Words) }
