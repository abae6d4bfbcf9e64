package sqlstore_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/storetest/fixture"
)

// measured measures a library with these books on each database. The function numbers begins a statement with
// the table n of the numbers i from 1.
func measured(t *testing.T, books []library.Book, measure func(t *testing.T, store *sqlstore.Store, f fixture.Store, numbers func(int) string)) {
	numbers := map[string]string{
		"sqlite":   `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `,
		"postgres": `WITH n(i) AS (SELECT generate_series(1, %d)) `,
	}
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			store := open(t, address(t))
			f := fixture.Store{Store: store, Ctx: library.WithStoreTimeout(t.Context(), time.Minute)}
			f.AddBooks(t, books...)
			measure(t, store, f, func(most int) string { return fmt.Sprintf(numbers[name], most) })
		})
	}
}

// newBooks returns books of the kinds in turn.
func newBooks(number int, kinds ...string) []library.Book {
	books := make([]library.Book, number)
	for i := range books {
		books[i] = fixture.NewBook(library.BookFields{Title: fmt.Sprintf("Book %d", i), Kind: kinds[i%len(kinds)]})
	}
	return books
}

func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	testkit.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
