package sqlstore_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/accession"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/storetest/bookgen"
)

// TestLendingDoesNotWaitForAnImport replaces a mebibyte of words that nobody has
// used before, which is the most work that one request can make, while somebody
// borrows and returns.
func TestLendingDoesNotWaitForAnImport(t *testing.T) {
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			store := open(t, address(t))
			lib := service.New(store)
			testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
			reader, _, err := store.UserByEmail(t.Context(), "bruce.wayne@example.com")
			testkit.NoError(t, err)
			actor := library.Actor{User: reader, Authorities: []string{library.RoleCurator.Authority(), library.RoleUser.Authority()}}
			importWords(t, lib, actor) // so that there is something to replace
			// A tenth is what people get; a busy machine gets some leave, and the best of three.
			var whole, longest time.Duration
			for range 3 {
				began := time.Now()
				longest = lendWhile(t, lib, actor, func() { importWords(t, lib, actor) })
				whole = time.Since(began)
				t.Logf("an import of %v; the longest wait was %v", whole, longest)
				if longest <= max(whole/4, 250*time.Millisecond) {
					return
				}
			}
			t.Errorf("somebody waited %v for a loan during an import of %v", longest, whole)
		})
	}
}

const importedBooks = 1000

func importWords(t *testing.T, lib *service.Service, actor library.Actor) {
	t.Helper()
	rows := make([]accession.Row, importedBooks)
	for i := range rows {
		rows[i] = accession.Row{ID: bookgen.ID(i), BookFields: library.BookFields{Title: "Dictionary", Description: newWords(900)}}
	}
	results, err := accession.Run(t.Context(), lib, actor, rows, library.ImportOptions{Update: true})
	testkit.NoError(t, err)
	for i, r := range results {
		if r.Outcome != library.ImportAdded && r.Outcome != library.ImportUpdated {
			t.Fatalf("row %d: %+v", i, r)
		}
	}
}

// newWords is a text of that size, of words of six random letters.
func newWords(size int) string {
	var b strings.Builder
	for b.Len()+7 <= size {
		for range 6 {
			b.WriteByte(byte('a' + rand.N(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// lendWhile borrows and returns books that are being imported until do is done,
// and returns how long the longest loan or return took.
func lendWhile(t *testing.T, lib *service.Service, actor library.Actor, do func()) (longest time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			id := bookgen.ID(rand.N(importedBooks))
			for _, lend := range []func(context.Context, library.Actor, string) (library.Book, error){lib.Borrow, lib.Return} {
				began := time.Now()
				if _, err := lend(t.Context(), actor, id); err != nil && !errors.Is(err, library.ErrBookNotFound) {
					t.Errorf("lending: %v", err)
				}
				longest = max(longest, time.Since(began))
			}
			time.Sleep(time.Millisecond)
		}
	})
	do()
	stop()
	wg.Wait()
	return longest
}
