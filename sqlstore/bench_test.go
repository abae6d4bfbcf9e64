package sqlstore_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
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

func BenchmarkLibrary(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmark(b, "sqlite:"+filepath.Join(b.TempDir(), "library.db")) })
	b.Run("postgres", func(b *testing.B) { benchmark(b, pgtest.URL(b, pgtest.Durable())) })
}

func benchmark(b *testing.B, url string) {
	ctx := context.Background()
	n := benchBooks()
	store := open(b, url)
	testkit.NoError(b, service.New(store).Prepare(ctx, service.Setup{Samples: sample.Basic}))
	start := time.Now()
	testkit.NoError(b, bookgen.Fill(ctx, store, n))
	b.Logf("%d books in %v", n, time.Since(start))
	measure(b, store, n)
}

func measure(b *testing.B, store *sqlstore.Store, n int) {
	ctx := context.Background()
	b.Run("UserByEmail", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := store.UserByEmail(ctx, "clark.kent@example.com"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Book", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			testkit.NoError(b, testkit.Err(store.Book(ctx, bookgen.ID(i*7919%n), "")))
		}
	})
	benchmarkBorrow(b, store)
}

func benchmarkBorrow(b *testing.B, store *sqlstore.Store) {
	ctx := context.Background()
	lib := service.New(store)
	user, _, err := store.UserByEmail(ctx, "bruce.wayne@example.com")
	testkit.NoError(b, err)
	actor := library.Actor{User: user, Authorities: user.Authorities()}
	b.Run("borrow+return", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			id := bookgen.ID(i * 31 % 5000)
			testkit.NoError(b, testkit.Err(lib.Borrow(ctx, actor, id)))
			testkit.NoError(b, testkit.Err(lib.Return(ctx, actor, id)))
		}
	})
	b.Run("bare", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			sqlstore.BareTx(b, store, i)
		}
	})
}
