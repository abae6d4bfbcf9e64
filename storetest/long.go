package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/library"
)

// longBooks is books that are as long as the rules allow, and some short ones
// among them.
func longBooks(n int) []library.Book {
	var books []library.Book
	for i := range n {
		b := newBook(library.BookFields{Title: fmt.Sprintf("Book %04d", i)})
		b.Created = epoch.Add(time.Duration(n-i) * time.Microsecond)
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

func booksAreWeighed(t *testing.T, f fixture) {
	books := longBooks(12)
	f.addBooks(t, books...)
	for _, weight := range []int{1, books[0].Weight(), books[0].Weight() + 1, 100_000, 300_000, 1 << 30} {
		got, err := f.BooksInBatch(f.ctx, library.BookQuery{}, library.BookBatch{MaxBytes: weight})
		wantError(t, err, nil)
		want, sum := 0, 0
		for want < len(books) && sum < weight {
			sum += books[want].Weight()
			want++
		}
		wantEqual(t, ids(got, bookID), ids(books[:want], bookID))
	}
}

func briefBooksAreTheSameBooks(t *testing.T, f fixture) {
	books := longBooks(12)
	f.addBooks(t, books...)
	for _, order := range library.Orders {
		got, err := f.BooksInBatch(f.ctx, library.BookQuery{Order: order, Limit: 9}, library.BookBatch{KeysOnly: true})
		wantError(t, err, nil)
		want := find(books, library.BookQuery{Order: order})
		wantEqual(t, ids(got, bookID), ids(want[:9], bookID))
		rest, err := f.Books(f.ctx, library.BookQuery{Order: order, After: cursorAt(got[8], order)})
		wantError(t, err, nil)
		wantEqual(t, ids(rest, bookID), ids(want[9:], bookID))
	}
}

func booksByIdentifier(t *testing.T, f fixture) {
	books := longBooks(12)
	f.addBooks(t, books...)
	all := ids(books, bookID)
	for _, order := range library.Orders {
		got, err := f.Books(f.ctx, library.BookQuery{Order: order, IDs: append(all[4:8:8], "no such book")})
		wantError(t, err, nil)
		wantEqual(t, got, find(books[4:8], library.BookQuery{Order: order}))
	}
}

// pagesOfLongBooksAddUp goes through the service, which reads a heavy page in
// another way than a light one.
func pagesOfLongBooksAddUp(t *testing.T, f fixture) {
	books := longBooks(230)
	f.addBooks(t, books...)
	service := library.NewService(f.Store)
	want := ids(find(books, library.BookQuery{Order: library.ByCreated}), bookID)
	for _, limit := range []int{0, 1, 10, 99, 100, 101, 229, 230, 231, library.MaxPage} {
		var got []string
		q := library.BookQuery{Order: library.ByCreated, Limit: limit}
		for {
			l, err := service.Books(f.ctx, library.Actor{}, q)
			wantError(t, err, nil)
			wantEqual(t, l.Total, len(books))
			n := 0
			for b, err := range l.All {
				wantError(t, err, nil)
				got = append(got, b.ID)
				if i := len(books) - len(got); i >= 0 && b.Weight() != books[i].Weight() {
					t.Fatalf("the book %q comes with %d bytes of %d", b.Title, b.Weight(), books[i].Weight())
				}
				n++
			}
			if l.Next == "" {
				break
			}
			wantEqual(t, n, limit)
			q.After, _ = library.ParseBookCursor(l.Next, q.Order)
		}
		wantEqual(t, got, want)
	}
}

// pageOutlivesItsBooks deletes books of a heavy page after it was begun.
func pageOutlivesItsBooks(t *testing.T, f fixture) {
	books := longBooks(120)
	f.addBooks(t, books...)
	l, err := library.NewService(f.Store).Books(f.ctx, library.Actor{}, library.BookQuery{Limit: library.MaxPage})
	wantError(t, err, nil)
	f.tx(t, func(tx library.Tx) error {
		for _, b := range books[20:110] {
			if err := tx.DeleteBook(f.ctx, b.ID); err != nil {
				return err
			}
		}
		return nil
	})
	var got []library.Book
	for b, err := range l.All {
		wantError(t, err, nil)
		got = append(got, b)
	}
	wantEqual(t, ids(got, bookID), append(ids(books[:20], bookID), ids(books[110:], bookID)...))
}
