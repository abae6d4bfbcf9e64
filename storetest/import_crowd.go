package storetest

import (
	"fmt"
	"testing"

	"example.org/library"
)

// crowd adds n books that differ in their authors alone.
func (f fixture) crowd(t *testing.T, n int, like library.BookFields) (books []library.Book) {
	for i := range n {
		b := newBook(like)
		b.ID, b.Authors = fmt.Sprintf("00000000-0000-4000-9000-%012d", i), []string{fmt.Sprintf("Author %d", i)}
		books = append(books, b)
	}
	f.tx(t, func(tx library.Tx) error { return tx.AddBooks(f.ctx, books) })
	return books
}

// findCrowds must not read all books that have one title, nor one ISBN.
func findCrowds(t *testing.T, f fixture) {
	untitled := f.crowd(t, library.MaxAlike+50, library.BookFields{Title: "Untitled", ISBN: goodISBN(7)})
	other := newBook(library.BookFields{Title: "Emma"})
	f.addBooks(t, other)
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
		found, err := f.FindBooks(f.ctx, c.keys)
		wantError(t, err, nil)
		f.tx(t, func(tx library.Tx) error {
			held, err := tx.FindBooks(f.ctx, c.keys, true)
			if len(found) != c.want || len(held) != c.want {
				t.Errorf("%s: %d books and %d, want %d", c.rule, len(found), len(held), c.want)
			}
			return err
		})
	}
}

// importsIntoCrowds add nothing that may be there already, however many books
// have the title, and change none when there is no telling.
func importsIntoCrowds(t *testing.T, f fixture) {
	type fields = library.BookFields
	untitled := f.crowd(t, library.MaxAlike+50, fields{Title: "Untitled"})
	unread := untitled[len(untitled)-1]
	rows := []library.ImportRow{
		row(untitled[0].BookFields),
		row(fields{Title: "Untitled", Authors: untitled[1].Authors, Description: "New"}),
		row(unread.BookFields),
		row(fields{Title: "UNTITLED", Authors: []string{"Nobody"}}),
		row(fields{Title: "Untitled", Authors: []string{"Nobody"}, ISBN: goodISBN(9)}),
		rowOf(freeID, fields{Title: "Untitled"}),
		rowOf(untitled[len(untitled)-2].ID, fields{Title: "Untitled"}),
		row(fields{Title: "Titled"}),
	}
	f.playCrowd(t, rows, false, []string{"unchanged new", "differs book_differs", "differs book_differs", "differs book_differs",
		"added new", "added free", "unchanged new", "added new"})
	f.playCrowd(t, rows, true, []string{"unchanged new", "invalid ambiguous_book", "invalid ambiguous_book", "invalid ambiguous_book",
		"unchanged new", "unchanged free", "unchanged new", "unchanged new"})
}

// importsThatMakeCrowds find again what they have added.
func importsThatMakeCrowds(t *testing.T, f fixture) {
	f.crowd(t, library.MaxAlike-1, library.BookFields{Title: "Untitled"})
	var rows []library.ImportRow
	for _, author := range []string{"A", "B", "C"} {
		rows = append(rows, row(library.BookFields{Title: "Untitled", Authors: []string{author}}))
	}
	f.playCrowd(t, rows, false, []string{"added new", "added new", "differs book_differs"})
	f.playCrowd(t, rows, false, []string{"unchanged new", "unchanged new", "differs book_differs"})
}

func (f fixture) playCrowd(t *testing.T, rows []library.ImportRow, update bool, want []string) {
	t.Helper()
	actor := f.curator(t)
	results, err := library.NewService(f).ImportBooks(f.ctx, actor, rows, library.ImportOptions{Update: update})
	wantError(t, err, nil)
	wantEqual(t, describeImport(f, t, results), want)
}
