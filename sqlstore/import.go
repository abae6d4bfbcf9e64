package sqlstore

import (
	"context"
	"encoding/json"
	"slices"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// FindBooks returns the books that have one of the keys, without their loans.
func (s *Store) FindBooks(ctx context.Context, keys library.BookKeys) ([]library.Book, error) {
	return findBooks(ctx, s.db, s.dialect, keys, "")
}

// FindBooks returns the books that have one of the keys, without their loans,
// and locks them until the end of the transaction if they are for an update.
func (t *tx) FindBooks(ctx context.Context, keys library.BookKeys, forUpdate bool) ([]library.Book, error) {
	lock := ""
	if forUpdate {
		lock = t.dialect.ForUpdate
	}
	return findBooks(ctx, t.sql, t.dialect, keys, lock)
}

// findBooks returns books in the one order in which everybody locks them.
func findBooks(ctx context.Context, q engine.Reader, d *engine.Dialect, keys library.BookKeys, lock string) ([]library.Book, error) {
	text, a := findBooksText(d, keys)
	// Planned each time, with the keys: a plan that was made while the library
	// was empty would look at every book for each of them.
	return engine.Collect(ctx, q, "find books", scanBook, text+lock, append(slices.Clip(d.PlanOptions), a...)...)
}

// findBooksText asks each index by itself; a condition with OR would tempt
// either database to look at every book. Of books with one key it reads few,
// however many there are. An order by seq itself would tempt PostgreSQL to go
// through all books in that order until it has enough with an ISBN.
func findBooksText(d *engine.Dialect, keys library.BookKeys) (text string, a engine.Arguments) {
	place := func(list []string) string { return a.Add(d.List(list)) }
	text = `SELECT ` + bookOnlyColumns + `, ` + noStockColumns + ` FROM books b WHERE b.seq IN (
			SELECT seq FROM books WHERE id ` + d.Among(place(keys.IDs)) + `
			UNION ` + d.FirstOf(place(keys.ISBNs), `isbn_key = k.value AND isbn_key <> ''`, `seq + 0`, library.MaxAlike+1) + `
			UNION ` + d.FirstOf(place(keys.Titles), `title_key = k.value`, `title, id`, library.MaxAlike+1) + `)
		ORDER BY b.created_at, b.id`
	return text, a
}

// AddBooks adds books with one statement.
func (t *tx) AddBooks(ctx context.Context, books []library.Book) error {
	if len(books) == 0 {
		return nil // a statement would count as a change even so
	}
	_, err := t.sql.ExecContext(ctx, `
		INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors,
			search_words, author_words, version, created_at, first_copies)
		SELECT r.id, r.isbn, r.isbn_key, r.title, r.title_key, r.description, r.authors,
			r.search_words, r.author_words, r.version, r.created_at, r.first_copies
		FROM `+t.dialect.BookRows, formatBooks(books))
	if t.dialect.Diagnose(err).Kind == engine.UniqueViolation {
		return library.ErrIdentifierTaken
	}
	return t.dialect.Error(ctx, "add books", err)
}

// UpdateBooks replaces what can be edited of books with one statement.
func (t *tx) UpdateBooks(ctx context.Context, books []library.Book) error {
	if len(books) == 0 {
		return nil
	}
	result, err := t.sql.ExecContext(ctx, `
		UPDATE books SET isbn = r.isbn, isbn_key = r.isbn_key, title = r.title, title_key = r.title_key,
			description = r.description, authors = r.authors, search_words = r.search_words,
			author_words = r.author_words, version = r.version
		FROM `+t.dialect.BookRows+` WHERE books.id = r.id`, formatBooks(books))
	if err != nil {
		return t.dialect.Error(ctx, "update books", err)
	}
	return t.dialect.Error(ctx, "update books", expect(result, len(books), library.ErrBookNotFound))
}

// newBook is a book on its way into a table, by the names of the columns.
type newBook struct {
	ID          string `json:"id"`
	ISBN        string `json:"isbn"`
	ISBNKey     string `json:"isbn_key"`
	Title       string `json:"title"`
	TitleKey    string `json:"title_key"`
	Description string `json:"description"`
	Authors     string `json:"authors"`
	SearchWords string `json:"search_words"`
	AuthorWords string `json:"author_words"`
	Version     string `json:"version"`
	CreatedAt   int64  `json:"created_at"`
	FirstCopies int    `json:"first_copies"`
}

// formatBooks makes one value of many books: a JSON array, which both databases
// can take apart. So a statement has the same text however many there are.
func formatBooks(books []library.Book) string {
	rows := make([]newBook, len(books))
	for i, b := range books {
		rows[i] = newBook{
			ID: b.ID, ISBN: b.ISBN, ISBNKey: library.ISBNKey(b.ISBN),
			Title: b.Title, TitleKey: library.TitleKey(b.Title),
			Description: b.Description, Authors: formatList(b.Authors),
			SearchWords: joinWords(b.SearchWords()), AuthorWords: joinWords(b.AuthorWords()),
			Version: b.Version, CreatedAt: b.Created.UnixMicro(), FirstCopies: b.Stock.Copies,
		}
	}
	text, _ := json.Marshal(rows) // strings and numbers always marshal
	return string(text)
}
