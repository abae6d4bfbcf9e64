package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/storetest/bookgen"
	"example.org/library/storetest/fixture"
)

func newStoreIsEmpty(t *testing.T, f fixture.Store) {
	f.InTx(t, func(tx library.Tx) error {
		noUsers, noBooks, err := tx.Empty(f.Ctx)
		if !noUsers || !noBooks {
			t.Errorf("Empty: got %v, %v", noUsers, noBooks)
		}
		return err
	})
	n, err := f.CountBooks(f.Ctx, library.BookQuery{})
	if n != 0 || err != nil {
		t.Errorf("CountBooks: got %d, %v", n, err)
	}
	books, err := f.Books(f.Ctx, library.BookQuery{})
	if len(books) != 0 || err != nil {
		t.Errorf("Books: got %v, %v", books, err)
	}
	if err := f.Ping(f.Ctx); err != nil {
		t.Errorf("Ping: %v", err)
	}
	f.AddBook(t, "Emma")
	f.InTx(t, func(tx library.Tx) error {
		noUsers, noBooks, err := tx.Empty(f.Ctx)
		if !noUsers || noBooks {
			t.Errorf("Empty with a book: got %v, %v", noUsers, noBooks)
		}
		return err
	})
}

// awkward is text known to break databases.
var awkward = []string{
	"Emma",
	"L'Étranger",
	`"double" 'single' \back\slash` + "`tick`",
	"Robert'); DROP TABLE books;--",
	"$1 ? :name @name %s {} [] ()",
	"e\u0301 combining, \u00e9 composed",
	"각 Hangul \u1100\u1161\u11a8",
	"𝄞 music and 😀 faces",
	"مرحبا עברית mixed directions",
	"ﬃ ß İ ı Σσς",
	"tab-free\u00a0but\u2003spaced\u200b",
	"%_ LIKE * FTS NEAR(a b) AND OR NOT",
	"null", "[]", "{}", "0", "-1", "!!!",
}

// longest returns a text of n code points with the most bytes.
func longest(n int) string { return strings.Repeat("𠜎", n) }

func bookRoundTrip(t *testing.T, f fixture.Store) {
	books := []library.Book{fixture.NewBook(library.BookFields{
		Title: longest(library.MaxTitle), ISBN: longest(library.MaxISBN),
		// One word, as far as a search is concerned.
		Description: longest(library.MaxDescription),
		Authors:     repeat(longest(library.MaxAuthor), library.MaxAuthors),
	}), fixture.NewBook(library.BookFields{
		Title: "many different words", Description: differentWords(library.MaxDescription),
	}), fixture.NewBook(library.BookFields{
		Title: "many different characters", Description: differentCharacters(0, library.MaxDescription),
		Authors: []string{differentCharacters(library.MaxDescription, library.MaxAuthor)},
	})}
	for _, text := range awkward {
		books = append(books, fixture.NewBook(library.BookFields{
			Title: text, ISBN: string([]rune(text)[:min(library.MaxISBN, len([]rune(text)))]),
			Description: text + "\n\r\n\t" + text, Authors: []string{text, "another", text},
		}))
	}
	for _, b := range books {
		f.AddBooks(t, b)
		fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
		f.InTx(t, func(tx library.Tx) error {
			got, err := f.Load(tx, b.ID)
			got.Book.Stock = got.Stock()
			fixture.WantEqual(t, got.Book, b)
			return err
		})
	}
	listed, err := f.Books(f.Ctx, library.BookQuery{})
	if err != nil || len(listed) != len(books) {
		t.Errorf("Books: got %d books and error %v, want %d", len(listed), err, len(books))
	}
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// differentCharacters returns Chinese text without repeated characters.
func differentCharacters(from, n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteRune(rune(0x20000 + from + i))
	}
	return text.String()
}

// differentWords is a text of at most n code points in which no two words are
// alike.
func differentWords(n int) string {
	var b strings.Builder
	for i := uint64(0); b.Len() < n-20; i++ {
		b.WriteString(bookgen.PseudoWord(i))
		b.WriteByte(' ')
	}
	return b.String()
}

func bookEdit(t *testing.T, f fixture.Store) {
	b := fixture.NewBook(library.BookFields{Title: "Emma", ISBN: "1", Description: "d", Authors: []string{"Jane Austen"}})
	other := fixture.NewBook(library.BookFields{Title: "Persuasion"})
	f.AddBooks(t, b, other)
	b.BookFields = library.BookFields{Title: "Sanditon"}.Complete()
	b.Version = "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, b) })
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
	fixture.WantEqual(t, f.ReadBook(t, other.ID), other)
}

func bookIdentifierTaken(t *testing.T, f fixture.Store) {
	b := f.AddBook(t, "Emma")
	again := fixture.NewBook(library.BookFields{Title: "Persuasion"})
	again.ID = b.ID
	f.TxFails(t, library.ErrIdentifierTaken, func(tx library.Tx) error { return tx.AddBook(f.Ctx, again) })
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
}

func bookNotFound(t *testing.T, f fixture.Store) {
	missing := fixture.NewBook(library.BookFields{Title: "Emma"})
	_, err := f.Book(f.Ctx, missing.ID, "")
	fixture.WantError(t, err, library.ErrBookNotFound)
	for _, fn := range []func(library.Tx) error{
		func(tx library.Tx) error { _, err := f.Load(tx, missing.ID); return err },
		func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, missing) },
		func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, missing.ID) },
	} {
		f.TxFails(t, library.ErrBookNotFound, fn)
	}
	b := f.AddBook(t, "Persuasion")
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) })
	_, err = f.Book(f.Ctx, b.ID, "")
	fixture.WantError(t, err, library.ErrBookNotFound)
}

// manyBooksAtOnce adds and updates books together and compares with books that
// were added and updated one by one.
func manyBooksAtOnce(t *testing.T, f fixture.Store) {
	books := slices.Collect(bookgen.Books(25))
	books[0].BookFields = library.BookFields{Title: "\"Ünïcode\" \\ </script> \u2028 𝄞", Description: "a\n\t\"b\"", Authors: []string{"[]", `{"x":1}`}}.Complete()
	f.InTx(t, func(tx library.Tx) error { return tx.AddBooks(f.Ctx, books) })
	for i := range books[:10] {
		books[i].Title, books[i].ISBN, books[i].Version = "Changed Ä", "0-13-235088-2", "2"
	}
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateBooks(f.Ctx, books[:10]) })
	for _, b := range books {
		fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
	}
	for question, want := range map[string]int{"changed": 10, "9780132350884": 10, bookgen.CommonWord: 8} {
		n, err := f.CountBooks(f.Ctx, library.BookQuery{Terms: library.ParseTerms(question)})
		fixture.WantError(t, err, nil)
		if n != want {
			t.Errorf("%d books for %q, want %d", n, question, want)
		}
	}
	fresh := fixture.NewBook(library.BookFields{Title: "New"})
	f.TxFails(t, library.ErrIdentifierTaken, func(tx library.Tx) error { return tx.AddBooks(f.Ctx, []library.Book{fresh, books[3]}) })
	f.TxFails(t, library.ErrBookNotFound, func(tx library.Tx) error { return tx.UpdateBooks(f.Ctx, []library.Book{books[3], fresh}) })
	_, err := f.Book(f.Ctx, fresh.ID, "")
	fixture.WantError(t, err, library.ErrBookNotFound)
	f.InTx(t, func(tx library.Tx) error { return errors.Join(tx.AddBooks(f.Ctx, nil), tx.UpdateBooks(f.Ctx, nil)) })
}

// everyFieldIsStored finds a field missing in a statement: in the four writing books, and in the
// reading ones.
func everyFieldIsStored(t *testing.T, f fixture.Store) {
	fill := func(prefix string) (fields library.BookFields) {
		for _, field := range library.BookFieldTable {
			switch {
			case field.Name == "kind": // one of nine words
				*field.Text(&fields) = library.BookKinds[len(prefix)%len(library.BookKinds)]
			case field.Text != nil:
				*field.Text(&fields) = prefix + field.Name
			case field.List != nil:
				*field.List(&fields) = []string{prefix + field.Name, "another"}
			default:
				*field.Number(&fields) = len(prefix)
			}
		}
		return fields
	}
	want := func(id string, fields library.BookFields) {
		t.Helper()
		b, err := f.Book(f.Ctx, id, "")
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, b.BookFields, fields)
	}
	one := library.Book{ID: library.NewID(), BookFields: fill("one "), Created: fixture.Epoch, Version: "1"}
	many := library.Book{ID: library.NewID(), BookFields: fill("many "), Created: fixture.Epoch, Version: "1"}
	f.InTx(t, func(tx library.Tx) error {
		return errors.Join(tx.AddBook(f.Ctx, one), tx.AddBooks(f.Ctx, []library.Book{many}))
	})
	want(one.ID, one.BookFields)
	want(many.ID, many.BookFields)
	one.BookFields, many.BookFields = fill("edited "), fill("imported ")
	f.InTx(t, func(tx library.Tx) error {
		return errors.Join(tx.UpdateBook(f.Ctx, one), tx.UpdateBooks(f.Ctx, []library.Book{many}))
	})
	want(one.ID, one.BookFields)
	want(many.ID, many.BookFields)
}
