package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// longBooks is books that are as long as the rules allow, and some short ones
// among them.
func longBooks(n int) []library.Book {
	var books []library.Book
	for i := range n {
		b := fixture.NewBook(library.BookFields{Title: fmt.Sprintf("Book %04d", i)})
		b.Created = fixture.Epoch.Add(time.Duration(n-i) * time.Microsecond)
		if i%3 != 0 {
			b.Description = strings.Repeat("ж", library.MaxDescription)
			for range library.MaxAuthors {
				b.Authors = append(b.Authors, strings.Repeat("я", library.MaxAuthor))
			}
		}
		books = append(books, b)
	}
	return books
}

func booksAreWeighed(t *testing.T, f fixture.Store) {
	books := longBooks(12)
	f.AddBooks(t, books...)
	for _, weight := range []int{1, books[0].Weight(), books[0].Weight() + 1, 100_000, 300_000, 1 << 30} {
		got, err := f.BooksInBatch(f.Ctx, library.BookQuery{}, library.BookBatch{MaxBytes: weight})
		fixture.WantError(t, err, nil)
		want, sum := 0, 0
		for want < len(books) && sum < weight {
			sum += books[want].Weight()
			want++
		}
		fixture.WantEqual(t, fixture.IDs(got, fixture.BookID), fixture.IDs(books[:want], fixture.BookID))
	}
}

func briefBooksAreTheSameBooks(t *testing.T, f fixture.Store) {
	books := longBooks(12)
	f.AddBooks(t, books...)
	for _, order := range library.Orders {
		got, err := f.BooksInBatch(f.Ctx, library.BookQuery{Order: order, Limit: 9}, library.BookBatch{KeysOnly: true})
		fixture.WantError(t, err, nil)
		want := find(books, library.BookQuery{Order: order})
		fixture.WantEqual(t, fixture.IDs(got, fixture.BookID), fixture.IDs(want[:9], fixture.BookID))
		rest, err := f.Books(f.Ctx, library.BookQuery{Order: order, After: cursorAt(got[8], order)})
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, fixture.IDs(rest, fixture.BookID), fixture.IDs(want[9:], fixture.BookID))
	}
}

func booksByIdentifier(t *testing.T, f fixture.Store) {
	books := longBooks(12)
	f.AddBooks(t, books...)
	all := fixture.IDs(books, fixture.BookID)
	for _, order := range library.Orders {
		got, err := f.Books(f.Ctx, library.BookQuery{Order: order, IDs: append(all[4:8:8], "no such book")})
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got, find(books[4:8], library.BookQuery{Order: order}))
	}
}

// pagesOfLongBooksAddUp goes through the service, which reads a heavy page in
// another way than a light one. To add these books takes long, so pageOutlivesItsBooks
// deletes some of the same.
func pagesOfLongBooksAddUp(t *testing.T, f fixture.Store) {
	const n = 120 // more than are read at once
	books := longBooks(n)
	f.AddBooks(t, books...)
	lib := service.New(f.Store)
	want := fixture.IDs(find(books, library.BookQuery{Order: library.ByCreated}), fixture.BookID)
	limits := []int{0, 101, library.MaxPage}
	if testkit.Full() {
		limits = append(limits, 10, 99, 100, n-1, n, n+1)
	}
	for _, limit := range limits {
		var got []string
		q := library.BookQuery{Order: library.ByCreated, Limit: limit}
		for {
			l, err := lib.Books(f.Ctx, library.Actor{}, q)
			fixture.WantError(t, err, nil)
			fixture.WantEqual(t, l.Total, len(books))
			n := 0
			for b, err := range l.All {
				fixture.WantError(t, err, nil)
				got = append(got, b.ID)
				if i := len(books) - len(got); i >= 0 && b.Weight() != books[i].Weight() {
					t.Fatalf("the book %q comes with %d bytes of %d", b.Title, b.Weight(), books[i].Weight())
				}
				n++
			}
			if l.Next == "" {
				break
			}
			fixture.WantEqual(t, n, limit)
			q.After, _ = library.ParseCursor(l.Next, q.Order)
		}
		fixture.WantEqual(t, got, want)
	}
	pageOutlivesItsBooks(t, f, books)
}

// pageOutlivesItsBooks deletes books of a heavy page after it was begun.
func pageOutlivesItsBooks(t *testing.T, f fixture.Store, books []library.Book) {
	l, err := service.New(f.Store).Books(f.Ctx, library.Actor{}, library.BookQuery{Limit: library.MaxPage})
	fixture.WantError(t, err, nil)
	f.InTx(t, func(tx library.Tx) error {
		for _, b := range books[20:110] {
			if err := tx.DeleteBook(f.Ctx, b.ID); err != nil {
				return err
			}
		}
		return nil
	})
	var got []library.Book
	for b, err := range l.All {
		fixture.WantError(t, err, nil)
		got = append(got, b)
	}
	fixture.WantEqual(t, fixture.IDs(got, fixture.BookID), append(fixture.IDs(books[:20], fixture.BookID), fixture.IDs(books[110:], fixture.BookID)...))
}
