package storetest

import (
	"fmt"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

func findBooks(t *testing.T, f fixture.Store) {
	var books []library.Book
	for i, isbn := range []string{"", "978-0-13-235088-4", "0132350882", "-", "77", ""} {
		b := fixture.NewBook(library.BookFields{Title: []string{"Émma", "Persuasion"}[i%2], ISBN: isbn, Authors: []string{"A"}})
		b.Created = fixture.Epoch.Add(time.Duration(i) * time.Second)
		books = append(books, b)
	}
	f.AddBooks(t, books...)
	f.Lend(t, books[0], f.AddUser(t, "jane@example.com"))
	for _, c := range []struct {
		keys library.BookKeys
		want []int
	}{
		{library.BookKeys{}, nil},
		{library.BookKeys{IDs: []string{books[4].ID, library.NewID(), books[0].ID}}, []int{0, 4}},
		{library.BookKeys{ISBNs: []string{"9780132350884", "none"}}, []int{1, 2}},
		{library.BookKeys{Titles: []string{"emma", "sanditon"}}, []int{0, 2, 4}},
		{library.BookKeys{IDs: []string{books[2].ID}, ISBNs: []string{"9780132350884"}, Titles: []string{"emma", "emma"}}, []int{0, 1, 2, 4}},
	} {
		var want []library.Book
		for _, i := range c.want {
			b := books[i]
			b.Stock = library.Stock{} // not part of it
			want = append(want, b)
		}
		got, err := f.FindBooks(f.Ctx, c.keys)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got, want)
		for _, forUpdate := range []bool{false, true} {
			f.InTx(t, func(tx library.Tx) (err error) { got, err = tx.FindBooks(f.Ctx, c.keys, forUpdate); return err })
			fixture.WantEqual(t, got, want)
		}
	}
}

// addAlike adds n books with different authors and nothing else different.
func addAlike(t *testing.T, f fixture.Store, n int, like library.BookFields) (books []library.Book) {
	for i := range n {
		b := fixture.NewBook(like)
		b.ID, b.Authors = fmt.Sprintf("00000000-0000-4000-9000-%012d", i), []string{fmt.Sprintf("Author %d", i)}
		books = append(books, b)
	}
	f.InTx(t, func(tx library.Tx) error { return tx.AddBooks(f.Ctx, books) })
	return books
}

// findManyAlike must not read all books with one title, nor with one ISBN.
func findManyAlike(t *testing.T, f fixture.Store) {
	untitled := addAlike(t, f, library.MaxAlike+50, library.BookFields{Title: "Untitled", ISBN: goodISBN(7)})
	other := fixture.NewBook(library.BookFields{Title: "Emma"})
	f.AddBooks(t, other)
	titles := []string{library.TitleKey("Untitled"), library.TitleKey("Emma"), library.TitleKey("Kim")}
	for _, c := range []struct {
		rule string
		keys library.BookKeys
		want int
	}{
		{"a title", library.BookKeys{Titles: titles[:1]}, library.MaxAlike + 1},
		{"several titles", library.BookKeys{Titles: titles}, library.MaxAlike + 2},
		{"a title that is asked for twice", library.BookKeys{Titles: append(titles, titles...)}, library.MaxAlike + 2},
		{"an ISBN", library.BookKeys{ISBNs: []string{goodISBN(7)}}, library.MaxAlike + 1},
		{"an identifier among them", library.BookKeys{Titles: titles[:1], IDs: []string{untitled[len(untitled)-1].ID}}, library.MaxAlike + 2},
	} {
		found, err := f.FindBooks(f.Ctx, c.keys)
		fixture.WantError(t, err, nil)
		f.InTx(t, func(tx library.Tx) error {
			locked, err := tx.FindBooks(f.Ctx, c.keys, true)
			if len(found) != c.want || len(locked) != c.want {
				t.Errorf("%s: %d books and %d, want %d", c.rule, len(found), len(locked), c.want)
			}
			return err
		})
	}
}
