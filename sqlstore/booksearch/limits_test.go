package booksearch_test

import (
	"testing"

	"example.org/library/storetest"
)

// TestListsAreTheSameWhenTheyWalk lets all but the shortest lists walk along an index, and some give up: they have the same
// books in the same order.
func TestListsAreTheSameWhenTheyWalk(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.RunSearches(t, func(t testing.TB) storetest.Open {
				address := address(t)
				return func(t testing.TB) storetest.Database {
					store := open(t, address)
					store.Limits.Sorted, store.Limits.Walked = 3, 7
					return store
				}
			})
		})
	}
}
