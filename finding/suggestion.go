package finding

import (
	"cmp"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
)

// SuggestionKind is what a suggestion names.
type SuggestionKind string

const (
	TitleSuggestion   SuggestionKind = "title"
	AuthorSuggestion  SuggestionKind = "author"
	SeriesSuggestion  SuggestionKind = "series"
	SubjectSuggestion SuggestionKind = "subject"
)

// suggestionKinds are in the order in which they are suggested.
var suggestionKinds = []SuggestionKind{TitleSuggestion, AuthorSuggestion, SeriesSuggestion, SubjectSuggestion}

// Limits of suggestions.
const (
	MaxSuggestions = 8
	MinSuggestible = 2 // code points of what was typed
)

// Suggestion is a value of the catalogue that somebody may be typing.
type Suggestion struct {
	Kind   SuggestionKind
	Value  string
	BookID string // of a title: the book that has it, the first of several
}

// Typed is what somebody has typed so far, and wants suggestions for. Each of its words must
// begin a word of what is suggested.
type Typed struct {
	words []string
	text  string // folded, with one space at each gap
}

// NewTyped reads what was typed.
func NewTyped(text string) Typed {
	return Typed{words: fulltext.Words(text), text: oneSpaced(fulltext.Fold(text))}
}

// oneSpaced is a text with one space at each gap.
func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// Beginning is how the key of a value begins that begins with what was typed.
func (t Typed) Beginning() string { return t.text }

// Terms find every book that has a value to suggest; there are none if nothing is asked for.
func (t Typed) Terms() []library.Term {
	terms := make([]library.Term, len(t.words))
	for i, w := range t.words {
		terms[i] = library.Term{Words: []string{w}}
	}
	return terms
}

// fits reports whether a value with this key is one to suggest.
func (t Typed) fits(key string) bool {
	if len(t.words) == 0 || slices.ContainsFunc(t.words, func(w string) bool { return !strings.Contains(key, w) }) {
		return false // most are not; that is found out without dividing the key into words
	}
	return library.Term{Words: t.words}.Matches(fulltext.Index(key))
}

// SuggestionTally counts the values that fit, of books that have the Terms of what was typed.
type SuggestionTally struct {
	typed  Typed
	values map[SuggestionKind]map[string]*suggested // by their keys
	keys   map[string]string                        // of values that were seen before
}

// suggested is a value that fits. Spellings that differ in case and accents alone are one.
type suggested struct {
	key       string
	books     int
	last      string // the book that was counted last
	spellings map[string]*spelling
}

type spelling struct {
	books int
	first string // the smallest identifier of a book that has it
}

// NewSuggestionTally returns an empty tally.
func NewSuggestionTally(typed Typed) *SuggestionTally {
	return &SuggestionTally{typed: typed, values: make(map[SuggestionKind]map[string]*suggested), keys: make(map[string]string)}
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
	key, known := t.keys[value]
	if !known {
		key = library.SubjectKey(value)
		t.keys[value] = key
	}
	s := t.values[kind][key]
	switch {
	case s == nil && !t.typed.fits(key):
		return
	case s != nil && s.last == book:
		return // a book that names somebody twice is one book
	}
	t.count(kind, key, value, book, 1)
	t.values[kind][key].last = book
}

// AddTitles counts several books with one title, of which first has the smallest identifier.
func (t *SuggestionTally) AddTitles(key, title, first string, books int) {
	if t.typed.fits(key) {
		t.count(TitleSuggestion, key, title, first, books)
	}
}

func (t *SuggestionTally) count(kind SuggestionKind, key, value, first string, books int) {
	if t.values[kind] == nil {
		t.values[kind] = make(map[string]*suggested)
	}
	s := t.values[kind][key]
	if s == nil {
		s = &suggested{key: key, spellings: make(map[string]*spelling)}
		t.values[kind][key] = s
	}
	s.books += books
	as := s.spellings[value]
	if as == nil {
		as = &spelling{first: first}
		s.spellings[value] = as
	}
	as.books += books
	as.first = min(as.first, first)
}

// Best are the suggestions: first what begins with what was typed, then by kind, by how many
// books have it, and by the alphabet.
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

// usual is the spelling that most books have.
func (s *suggested) usual() (value string) {
	most := 0
	for spelled, as := range s.spellings {
		if as.books > most || as.books == most && spelled < value {
			value, most = spelled, as.books
		}
	}
	return value
}
