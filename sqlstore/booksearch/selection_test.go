package booksearch_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

func TestTheWordsOfManySubjectsAreBounded(t *testing.T) {
	t.Parallel()
	subject := strings.TrimSpace(strings.Repeat("a b c d e ", 10))
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			b := fixture.NewBook(library.BookFields{Title: "Letters", Subjects: []string{subject}})
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
			for last, want := range map[string]int{"": 1, " z": 0} {
				found, err := store.Books(t.Context(), library.BookQuery{Subjects: append(slices.Repeat([]string{subject}, 29), subject+last)})
				if len(found) != want || err != nil {
					t.Errorf("%d books have all subjects, want %d: %v", len(found), want, err)
				}
			}
		})
	}
}
