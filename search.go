package library

import (
	"regexp"
	"slices"
	"strings"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
)

// TitleKey returns the sort key of a title, compared byte by byte; titles with the same key compare
// directly. It is no longer than a title, so it fits into any database's index.
func TitleKey(title string) string { return fulltext.Cut(fulltext.Fold(title), MaxTitle) }

// SearchWords returns the words of the book for searches.
func (b Book) SearchWords() []string {
	return fulltext.Index(append(b.searched(), isbn.Forms(b.ISBN)...)...)
}

// AuthorWords returns the words of the authors for searches.
func (b Book) AuthorWords() []string { return fulltext.Index(b.Authors...) }

// SearchWords returns the words of the user for searches.
func (u User) SearchWords() []string { return fulltext.Index(u.FirstName, u.LastName, u.Email) }

// CardsLike returns the beginnings of cards to look for: the question, and the question in capitals,
// or nothing if it cannot be a card.
func CardsLike(question string) []string {
	if !IsCode(question) {
		return nil
	}
	return slices.Compact([]string{question, strings.ToUpper(question)})
}

// Term is one piece of a question. It matches a record if each of its words, or its Number, begins a
// word of the record.
type Term struct {
	Words  []string
	Number string // the piece without its hyphens, if it may be an ISBN
}

// ParseTerms splits a question at white space. It leaves out pieces without a word, such as a lone
// ampersand; no terms match everything.
func ParseTerms(question string) []Term {
	if t, ok := isbnTerm(question); ok {
		return []Term{t}
	}
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

// isbnLabel is a label often copied with an ISBN.
var isbnLabel = regexp.MustCompile(`(?i)^\s*isbn(-1[03])?\s*:?\s*`)

// isbnTerm returns the term of a question with one ISBN, perhaps with a label or spaces.
func isbnTerm(question string) (Term, bool) {
	number := question[len(isbnLabel.FindString(question)):]
	if isbn.Proven(number) == "" {
		return Term{}, false
	}
	t := Term{Words: fulltext.Words(number)}
	if n := strings.ToLower(isbn.Compact(number)); n != number {
		t.Number = n
	}
	return t, true
}

// Matches reports whether the term is in a record with these words.
func (t Term) Matches(words []string) bool {
	begins := func(start string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, start) })
	}
	return !slices.ContainsFunc(t.Words, func(w string) bool { return !begins(w) }) || t.Number != "" && begins(t.Number)
}

func (t Term) equal(u Term) bool { return t.Number == u.Number && slices.Equal(t.Words, u.Words) }

// Class ranks the match of a book. Both databases find the same classes; their own scores differ.
type Class int

const (
	MostRelevant  Class = iota + 1 // the words are the whole title, in their order
	TitleBegins                    // the title begins with them; the last may be the beginning of a word
	InTitle                        // every word begins a word of title or subtitle
	InAuthors                      // or of the authors
	InOtherFields                  // or of series, subjects or publisher
	LeastRelevant                  // in the description, or an ISBN
	Unranked                       // any from InTitle on, in a Coarse list
)

// Limits of a search.
const (
	MaxRanked  = 2000   // with more matches, a list by relevance is Coarse
	MaxCounted = 10_000 // matches of words; one more stands for any larger number
)

// Rank decides whether a list by relevance with so many matches is Coarse. Later pages keep the
// decision of the first, so no book is missing or shown twice, unless the list has become far too long
// meanwhile.
func (q *BookQuery) Rank(matches int) {
	q.Coarse = matches > MaxRanked
	if q.After != nil && q.After.Class > TitleBegins {
		q.Coarse = q.After.Class == Unranked || matches > 2*MaxRanked
	}
}

// articles are ignored at the beginning of a title or a question.
var articles = []string{"the", "a", "an", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "el", "los", "las"}

// RankedTitle returns the form of a title or a question for comparing classes: its words in their
// order, separated by spaces, without the article in front. An article alone is a word.
func RankedTitle(text string) string {
	words := fulltext.Sequence(text)
	if len(words) > 1 && slices.Contains(articles, words[0]) {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// RankedQuestion returns the RankedTitle of a question, and the form with its article if it has one:
// the article may be a word of a title with another one in front ("The A.B.C. Murders").
func RankedQuestion(text string) []string {
	phrases := []string{RankedTitle(text)}
	if typed := strings.Join(fulltext.Sequence(text), " "); typed != phrases[0] {
		phrases = append(phrases, typed)
	}
	return phrases
}

// RankedWords returns three groups of words: of title and subtitle, of the authors, and of series,
// subjects and publisher. Each word is in the first group only.
func (b Book) RankedWords() (groups [3][]string) {
	seen := make(map[string]bool)
	for i, texts := range [][]string{{b.Title, b.Subtitle}, b.Authors, append([]string{b.Series, b.Publisher}, b.Subjects...)} {
		for _, word := range fulltext.Index(texts...) {
			if !seen[word] {
				seen[word] = true
				groups[i] = append(groups[i], word)
			}
		}
	}
	return groups
}

// Ask sets the question of the query.
func (q *BookQuery) Ask(question string) {
	q.Question, q.Terms, q.Phrases = question, ParseTerms(question), RankedQuestion(question)
}
