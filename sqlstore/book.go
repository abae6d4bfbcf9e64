package sqlstore

import (
	"context"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// A book is read with its stock; what a viewer is to know of its loans and holds
// is in viewer.go.
const (
	bookOnlyColumns = `b.id, b.isbn, b.title, b.description, b.authors, b.created_at, b.version`
	bookColumns     = bookOnlyColumns + `, ` + stockColumns
)

// bookRow is the bookOnlyColumns of a row.
type bookRow struct {
	library.Book
	authors []byte
	created int64
}

func (r *bookRow) dest() []any {
	return []any{&r.ID, &r.ISBN, &r.Title, &r.Description, &r.authors, &r.created, &r.Version}
}

func (r *bookRow) book() (b library.Book, err error) {
	b = r.Book
	b.Created = fromMicro(r.created)
	b.Authors, err = parseList[string](r.authors)
	return b, err
}

// scanBook reads the bookColumns of a row.
func scanBook(record engine.Row) (library.Book, error) {
	var r bookRow
	var stock stockRow
	if err := record.Scan(append(r.dest(), stock.dest()...)...); err != nil {
		return library.Book{}, err
	}
	b, err := r.book()
	return b, errors.Join(err, stock.addTo(&b))
}

// AddBook adds a book. The database makes its copies.
func (t *tx) AddBook(ctx context.Context, b library.Book) error {
	_, err := t.sql.ExecContext(ctx, `
		INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors,
			search_words, author_words, version, created_at, first_copies)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		append(bookValues(b), b.Created.UnixMicro(), b.Stock.Copies)...)
	if t.dialect.Diagnose(err).Kind == engine.UniqueViolation {
		return library.ErrIdentifierTaken
	}
	return t.dialect.Error(ctx, "add book", err)
}

// UpdateBook replaces what can be edited of a book.
func (t *tx) UpdateBook(ctx context.Context, b library.Book) error {
	result, err := t.sql.ExecContext(ctx, `
		UPDATE books SET isbn = $2, isbn_key = $3, title = $4, title_key = $5, description = $6,
			authors = $7, search_words = $8, author_words = $9, version = $10
		WHERE id = $1`,
		bookValues(b)...)
	if err != nil {
		return t.dialect.Error(ctx, "update book", err)
	}
	return t.dialect.Error(ctx, "update book", expectOne(result, library.ErrBookNotFound))
}

func bookValues(b library.Book) []any {
	return []any{
		b.ID, b.ISBN, library.ISBNKey(b.ISBN), b.Title, library.TitleKey(b.Title), b.Description,
		formatList(b.Authors), joinWords(b.SearchWords()), joinWords(b.AuthorWords()), b.Version,
	}
}

// DeleteBook deletes a book with its copies. Its past loans and holds stay,
// without it.
func (t *tx) DeleteBook(ctx context.Context, id string) error {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM books WHERE id = $1`, id)
	if err != nil {
		return t.dialect.Error(ctx, "delete book", err)
	}
	return t.dialect.Error(ctx, "delete book", expectOne(result, library.ErrBookNotFound))
}
