// Package bookgen generates large catalogues for tests and measurements: the same
// number gives the same books. Start reading at [Books]; [Fill] adds them to a store.
package bookgen

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"example.org/library"
)

// Words that Books puts into titles.
const (
	RareWord   = "xylograph" // 20 books, however many there are
	CommonWord = "history"   // every other book
)

// Books yields n books that look like a catalogue: some words are in many
// of them, most are in few. The same n gives the same books.
func Books(n int) iter.Seq[library.Book] {
	return func(yield func(library.Book) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		common := rand.NewZipf(r, 1.1, 4, 49_999)
		words := func(n int) string {
			var b strings.Builder
			for i := range n {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(PseudoWord(common.Uint64()))
			}
			return b.String()
		}
		for i := range n {
			if !yield(manyBook(i, n, words)) {
				return
			}
		}
	}
}

func manyBook(i, n int, words func(int) string) library.Book {
	title := words(3)
	if i%2 == 0 {
		title += " " + CommonWord
	}
	if i%max(1, n/20) == n/40 {
		title += " " + RareWord
	}
	return library.Book{
		ID: ID(i),
		BookFields: library.BookFields{
			Title:       strings.ToUpper(title[:1]) + title[1:],
			ISBN:        fmt.Sprintf("978%010d", i),
			Description: words(20),
			Authors:     []string{words(2)},
			Kind:        library.KindBook,
		},
		Created: time.UnixMicro(1_700_000_000_000_000 + int64(i)).UTC(),
		Version: "1",
		Stock:   library.Stock{Copies: 1, Available: 1},
	}
}

// ID is the identifier of book i of Books.
func ID(i int) string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(i)*0x9E3779B97F4A7C15|1<<63)
	binary.BigEndian.PutUint64(id[:], uint64(i)*0xD1B54A32D192ED03)
	return id.String()
}

// PseudoWord is a word that nobody uses, another for each number.
func PseudoWord(n uint64) string {
	const syllables = "ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po pu ra re ri ro ru sa se si so su ta te ti to tu"
	const count = (uint64(len(syllables)) + 1) / 3
	var b strings.Builder
	for n += count; n > 0; n /= count {
		at := n % count * 3
		b.WriteString(syllables[at : at+2])
	}
	return b.String()
}

// Fill adds Books(n) to a store.
func Fill(ctx context.Context, store library.Store, n int) error {
	ctx = library.WithStoreTimeout(ctx, 10*time.Minute)
	next, stop := iter.Pull(Books(n))
	defer stop()
	for left := n; left > 0; {
		books := make([]library.Book, min(left, 5000))
		for i := range books {
			books[i], _ = next()
		}
		left -= len(books)
		err := store.Tx(ctx, func(tx library.Tx) error {
			for _, b := range books {
				if err := tx.AddBook(ctx, b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
