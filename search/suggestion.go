package search

import (
	"cmp"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
)

// SuggestionKind is the kind of a suggestion.
type SuggestionKind string

const (
	TitleSuggestion   SuggestionKind = "title"
	AuthorSuggestion  SuggestionKind = "author"
	SeriesSuggestion  SuggestionKind = "series"
	SubjectSuggestion SuggestionKind = "subject"
)

// suggestionKinds has the kinds in their order of rank.
var suggestionKinds = []SuggestionKind{TitleSuggestion, AuthorSuggestion, SeriesSuggestion, SubjectSuggestion}

// Limits of suggestions.
const (
	MaxSuggestions = 8
	MinSuggestible = 2 // typed code points
)

// Suggestion is a completion: a value of the catalogue.
type Suggestion struct {
	Kind   SuggestionKind
	Value  string
	BookID string // of a title: its book, the first of several
}

// Typed is a text to complete. Each of its words must begin a word of a suggestion.
type Typed struct {
	words []string
	text  string // folded, with one space at each gap
}

// NewTyped parses a typed text.
func NewTyped(text string) Typed {
	return Typed{words: fulltext.Words(text), text: oneSpaced(fulltext.Fold(text))}
}

// oneSpaced returns a text with one space at each gap.
func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// Beginning returns the beginning of the keys of values that begin with the typed text.
func (t Typed) Beginning() string { return t.text }

// Terms returns the terms matching every book with a value to suggest, or none.
func (t Typed) Terms() []library.Term {
	terms := make([]library.Term, len(t.words))
	for i, w := range t.words {
		terms[i] = library.Term{Words: []string{w}}
	}
	return terms
}

// fits reports whether to suggest a value with this key.
func (t Typed) fits(key, value string) bool {
	letters := key
	if written := fulltext.WithoutUmlauts(value); written != value {
		letters += " " + fulltext.Fold(written)
	}
	if len(t.words) == 0 || slices.ContainsFunc(t.words, func(w string) bool { return !strings.Contains(letters, w) }) {
		return false // most do not fit; this is cheaper than dividing the value into words
	}
	return library.Term{Words: t.words}.Matches(fulltext.Index(value))
}

// SuggestionTally counts the fitting values of books matched by the Terms.
type SuggestionTally struct {
	typed  Typed
	values map[SuggestionKind]map[string]*suggested // by their keys
	seen   map[string]candidate
}

// candidate is a value of a book.
type candidate struct {
	key  string
	fits bool
}

// suggested is a fitting value, without regard to case and accents.
type suggested struct {
	key       string
	books     int
	last      string // the last counted book
	spellings map[string]*spelling
}

type spelling struct {
	books int
	first string // the smallest identifier of its books
}

// NewSuggestionTally returns an empty tally.
func NewSuggestionTally(typed Typed) *SuggestionTally {
	return &SuggestionTally{typed: typed, values: make(map[SuggestionKind]map[string]*suggested), seen: make(map[string]candidate)}
}

// AddBook counts the values of a book.
func (t *SuggestionTally) AddBook(id string, f library.BookFields) {
	t.add(TitleSuggestion, f.Title, id)
	for _, author := range f.Authors {
		t.add(AuthorSuggestion, author, id)
	}
	if f.Series != "" {
		t.add(SeriesSuggestion, f.Series, id)
	}
	for _, subject := range f.Subjects {
		t.add(SubjectSuggestion, subject, id)
	}
}

func (t *SuggestionTally) add(kind SuggestionKind, value, book string) {
	c, known := t.seen[value]
	if !known {
		key := library.SubjectKey(value)
		c = candidate{key, t.typed.fits(key, value)}
		t.seen[value] = c
	}
	if !c.fits {
		return
	}
	if s := t.values[kind][c.key]; s != nil && s.last == book {
		return // a name repeated in a book counts once
	}
	t.count(kind, c.key, value, book)
	t.values[kind][c.key].last = book
}

// AddTitle counts a book by its title alone.
func (t *SuggestionTally) AddTitle(key, title, book string) {
	if t.typed.fits(key, title) {
		t.count(TitleSuggestion, key, title, book)
	}
}

func (t *SuggestionTally) count(kind SuggestionKind, key, value, book string) {
	if t.values[kind] == nil {
		t.values[kind] = make(map[string]*suggested)
	}
	s := t.values[kind][key]
	if s == nil {
		s = &suggested{key: key, spellings: make(map[string]*spelling)}
		t.values[kind][key] = s
	}
	s.books++
	as := s.spellings[value]
	if as == nil {
		as = &spelling{first: book}
		s.spellings[value] = as
	}
	as.books++
	as.first = min(as.first, book)
}

// Best returns the suggestions: first values beginning with the typed text, then by kind, number of
// books, and alphabet.
func (t *SuggestionTally) Best() []Suggestion {
	best := []Suggestion{}
	for _, begins := range []bool{true, false} {
		for _, kind := range suggestionKinds {
			best = append(best, t.bestOf(kind, begins)...)
			if len(best) >= MaxSuggestions {
				return best[:MaxSuggestions]
			}
		}
	}
	return best
}

func (t *SuggestionTally) bestOf(kind SuggestionKind, begins bool) (best []Suggestion) {
	var some []*suggested
	for key, s := range t.values[kind] {
		if strings.HasPrefix(oneSpaced(key), t.typed.text) == begins {
			some = append(some, s)
		}
	}
	slices.SortFunc(some, func(a, b *suggested) int {
		return cmp.Or(cmp.Compare(b.books, a.books), cmp.Compare(a.key, b.key))
	})
	for _, s := range some[:min(len(some), MaxSuggestions)] {
		value := s.usual()
		suggestion := Suggestion{Kind: kind, Value: value}
		if kind == TitleSuggestion {
			suggestion.BookID = s.spellings[value].first
		}
		best = append(best, suggestion)
	}
	return best
}

// usual returns the most common spelling.
func (s *suggested) usual() (value string) {
	most := 0
	for spelled, as := range s.spellings {
		if as.books > most || as.books == most && spelled < value {
			value, most = spelled, as.books
		}
	}
	return value
}
