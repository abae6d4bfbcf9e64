// Package finding helps people to find books: what the books of a question are about, what
// somebody may be typing, and what a misspelt question was to be. It is a part of the domain that
// only asks. Which books a question finds, and in which order, is a matter of package library
// (search.go, relevance.go): every list knows it.
//
// Start reading at [Service]. Facets are counted in facets.go, suggestions in suggestion.go, and words
// are corrected in correction.go.
package finding

import (
	"context"
	"strings"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Store is what a store knows of books beside their lists. Each of its answers is about all books.
type Store interface {
	// CountBooks is that of [library.BookStore].
	CountBooks(ctx context.Context, q library.BookQuery) (int, error)
	// Facets counts what the books of a query are about, whatever q.Limit and q.After.
	Facets(ctx context.Context, q library.BookQuery) (Facets, error)
	// Suggestions are the best suggestions, as SuggestionTally finds them; none if nothing
	// is asked for.
	Suggestions(ctx context.Context, typed Typed) ([]Suggestion, error)

	// BeginsWord reports whether a book has a word that begins with this.
	BeginsWord(ctx context.Context, start string) (bool, error)
	// WordsNear returns all words of books with a distance of at most 1 or 2, and
	// perhaps others.
	WordsNear(ctx context.Context, word string, distance int) ([]string, error)
	// MostCommonWord returns the word that most books have, the first of several; "" if no
	// book has any of them.
	MostCommonWord(ctx context.Context, words []string) (string, error)
}

// Service answers everybody who may browse the catalogue.
type Service struct{ store Store }

// New returns what helps to find the books of a store.
func New(store Store) *Service { return &Service{store} }

// Facets says what the books of a query are about.
func (s *Service) Facets(ctx context.Context, a library.Actor, q library.BookQuery) (Facets, error) {
	if err := a.Authorize(library.Browse); err != nil {
		return Facets{}, err
	}
	q.Stranger = a.Stranger
	return s.store.Facets(ctx, q)
}

// Suggestions are what somebody may be typing.
func (s *Service) Suggestions(ctx context.Context, a library.Actor, text string) ([]Suggestion, error) {
	if err := a.Authorize(library.Browse); err != nil {
		return nil, err
	}
	if text = strings.TrimSpace(text); utf8.RuneCountInString(text) < MinSuggestible {
		return nil, library.InvalidFields(validation.TooShort("q", MinSuggestible))
	}
	return s.store.Suggestions(ctx, NewTyped(text))
}
