package finding_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore/finding"
	"example.org/library/storetest/bookgen"
)

// LIBRARY_BENCH_BOOKS=1000000 measures a large library; filling it takes
// minutes.
func benchBooks() int {
	if n, err := strconv.Atoi(os.Getenv("LIBRARY_BENCH_BOOKS")); err == nil {
		return n
	}
	return 10_000
}

func BenchmarkFinding(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmark(b, "sqlite:"+filepath.Join(b.TempDir(), "library.db")) })
	b.Run("postgres", func(b *testing.B) { benchmark(b, pgtest.URL(b, pgtest.Durable())) })
}

func benchmark(b *testing.B, url string) {
	ctx := context.Background()
	store := open(b, url)
	testkit.NoError(b, bookgen.Fill(ctx, store, benchBooks()))
	for _, word := range []string{"", bookgen.RareWord, bookgen.CommonWord, "bebi", "fura", "h"} {
		q := library.BookQuery{Terms: library.ParseTerms(word), Order: library.ByTitle, Limit: 21}
		b.Run(fmt.Sprintf("count=%s", word), func(b *testing.B) {
			counted := 0
			for b.Loop() {
				counted = finding.CountAnew(b, store.Catalogue, q)
			}
			b.ReportMetric(float64(counted), "matches")
		})
		batch := library.BookBatch{Total: finding.CountAnew(b, store.Catalogue, q)}
		b.Run(fmt.Sprintf("list=%s", word), func(b *testing.B) {
			for b.Loop() {
				testkit.NoError(b, testkit.Err(store.BooksInBatch(ctx, q, batch)))
			}
		})
	}
}
