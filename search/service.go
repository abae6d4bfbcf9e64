// Package search helps people to find books: facets of the matches, suggestions while typing, and
// corrections of misspelt questions. It is a read-only part of the domain. The matches of a question
// and their order are in package library (search.go).
//
// Start reading at [Service]. Facets are in facets.go, suggestions in suggestion.go, and corrections in correction.go.
package search

import (
	"context"
	"strings"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Store answers questions about all books, beside their lists.
type Store interface {
	// CountBooks is the same as in [library.BookStore].
	CountBooks(ctx context.Context, q library.BookQuery) (int, error)
	// Facets counts the facets of all matches, regardless of q.Limit and q.After.
	Facets(ctx context.Context, q library.BookQuery) (Facets, error)
	// Suggestions returns the best suggestions, as SuggestionTally finds them; none without terms.
	Suggestions(ctx context.Context, typed Typed) ([]Suggestion, error)

	// BeginsWord reports whether a word of a book begins with start.
	BeginsWord(ctx context.Context, start string) (bool, error)
	// WordsNear returns all words of books with a distance of at most 1 or 2, and perhaps others.
	WordsNear(ctx context.Context, word string, distance int) ([]string, error)
	// MostCommonWord returns the word with the most books, the first of several; "" if no book has any of them.
	MostCommonWord(ctx context.Context, words []string) (string, error)
}

// Service answers every caller with the permission to browse.
type Service struct{ store Store }

// New returns the search helpers of a store.
func New(store Store) *Service { return &Service{store} }

// Facets returns the facets of a query.
func (s *Service) Facets(ctx context.Context, a library.Actor, q library.BookQuery) (Facets, error) {
	if err := a.Authorize(library.Browse); err != nil {
		return Facets{}, err
	}
	return s.store.Facets(ctx, q)
}

// Suggestions returns completions of a typed text.
func (s *Service) Suggestions(ctx context.Context, a library.Actor, text string) ([]Suggestion, error) {
	if err := a.Authorize(library.Browse); err != nil {
		return nil, err
	}
	if text = strings.TrimSpace(text); utf8.RuneCountInString(text) < MinSuggestible {
		return nil, library.InvalidFields(validation.TooShort("q", MinSuggestible))
	}
	return s.store.Suggestions(ctx, NewTyped(text))
}
