package sqlstore

import (
	"context"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/booksearch"
	"example.org/library/sqlstore/engine"
)

// bookRow is the bookOnlyColumns of a row.
type bookRow struct {
	library.Book
	lists   [maxBookLists][]byte
	created int64
}

// dest returns places for the columns, and more for other columns of a statement. There is room
// for one more.
func (r *bookRow) dest(more ...any) []any {
	dest := make([]any, 0, len(bookDests)+len(more)+1)
	for _, of := range bookDests {
		dest = append(dest, of(r))
	}
	return append(dest, more...)
}

func (r *bookRow) book() (_ library.Book, err error) {
	r.Created = engine.FromMicro(r.created)
	for i, field := range bookLists {
		list, bad := engine.ParseList[string](r.lists[i])
		*field.List(&r.BookFields), err = list, errors.Join(err, bad)
	}
	return r.Book, err
}

// scanBookOnly reads the bookOnlyColumns of a row.
func scanBookOnly(record engine.Row) (library.Book, error) {
	var r bookRow
	if err := record.Scan(r.dest()...); err != nil {
		return library.Book{}, err
	}
	return r.book()
}

// scanBook reads the bookColumns of a row.
func scanBook(record engine.Row) (library.Book, error) { return scanBookAnd(record) }

// scanBookAnd reads the bookColumns and the columns after them.
func scanBookAnd(record engine.Row, more ...any) (library.Book, error) {
	var r bookRow
	var stock stockRow
	if err := record.Scan(append(r.dest(stock.dest()...), more...)...); err != nil {
		return library.Book{}, err
	}
	b, err := r.book()
	return b, errors.Join(err, stock.addTo(&b))
}

// AddBook adds a book. The database makes its copies.
func (t *tx) AddBook(ctx context.Context, b library.Book) error {
	_, err := t.sql.ExecContext(ctx, insertBook, bookValues(&b, true)...)
	if t.dialect.Diagnose(err).Kind == engine.UniqueViolation {
		return library.ErrIdentifierTaken
	}
	if err != nil {
		return t.dialect.Error(ctx, "add book", err)
	}
	t.changes.bookAdded(b)
	return booksearch.Learn(ctx, t.sql, b)
}

// UpdateBook replaces the fields of a book.
func (t *tx) UpdateBook(ctx context.Context, b library.Book) error {
	before, err := t.before(ctx, b.ID)
	if err != nil {
		return err
	}
	result, err := t.sql.ExecContext(ctx, updateBook, bookValues(&b, false)...)
	if err != nil {
		return t.dialect.Error(ctx, "update book", err)
	}
	t.changes.bookEdited(b.ID, before[b.ID])
	if err := expectOne(result, library.ErrBookNotFound); err != nil {
		return t.dialect.Error(ctx, "update book", err)
	}
	if before[b.ID].searchWords == engine.JoinWords(b.SearchWords()) {
		return nil // they are known
	}
	return booksearch.Learn(ctx, t.sql, b)
}

// DeleteBook deletes a book with its copies. Its past loans and holds stay,
// without it.
func (t *tx) DeleteBook(ctx context.Context, id string) error {
	if _, err := t.before(ctx, id); err != nil { // which locks it
		return err
	}
	result, err := t.sql.ExecContext(ctx, `DELETE FROM books WHERE id = $1`, id)
	if err != nil {
		return t.dialect.Error(ctx, "delete book", err)
	}
	t.changes.bookDeleted(id)
	return t.dialect.Error(ctx, "delete book", expectOne(result, library.ErrBookNotFound))
}
