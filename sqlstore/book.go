package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"example.org/library"
)

// A book is read with its open loan and the borrower.
const (
	bookOnlyColumns = `b.id, b.isbn, b.title, b.description, b.authors, b.created_at, b.version`
	bookColumns     = bookOnlyColumns + `, ` + loanColumns

	oneBook = `SELECT ` + bookColumns + ` FROM books b` + openLoan + borrower + ` WHERE b.id = $1`
)

// Book returns one book.
func (s *Store) Book(ctx context.Context, id string) (library.Book, error) {
	return readBook(ctx, s.read, oneBook, id)
}

func readBook(ctx context.Context, q querier, text, id string) (library.Book, error) {
	b, err := scanBook(q.QueryRowContext(ctx, text, id))
	if errors.Is(err, sql.ErrNoRows) {
		return library.Book{}, library.ErrBookNotFound
	}
	return b, dbError(ctx, "read book", err)
}

// scanBook reads the bookColumns of a row, and what more there is after them.
func scanBook(row interface{ Scan(...any) error }, more ...any) (library.Book, error) {
	var (
		b       library.Book
		authors []byte
		created int64
		loan    loanRow
	)
	dest := append(make([]any, 0, 14+len(more)), &b.ID, &b.ISBN, &b.Title, &b.Description, &authors, &created, &b.Version)
	if err := row.Scan(append(loan.appendDest(dest), more...)...); err != nil {
		return library.Book{}, err
	}
	b.Created = fromMicro(created)
	b.Loan = loan.loan(b.ID)
	var err error
	b.Authors, err = parseList[string](authors)
	return b, err
}

// AddBook adds a book.
func (t *tx) AddBook(ctx context.Context, b library.Book) error {
	_, err := t.sql.ExecContext(ctx, `
		INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors,
			search_words, author_words, version, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		append(bookValues(b), b.Created.UnixMicro())...)
	if t.dialect.diagnose(err).kind == uniqueViolation {
		return library.ErrIdentifierTaken
	}
	return dbError(ctx, "add book", err)
}

// UpdateBook replaces what can be edited of a book.
func (t *tx) UpdateBook(ctx context.Context, b library.Book) error {
	result, err := t.sql.ExecContext(ctx, `
		UPDATE books SET isbn = $2, isbn_key = $3, title = $4, title_key = $5, description = $6,
			authors = $7, search_words = $8, author_words = $9, version = $10
		WHERE id = $1`,
		bookValues(b)...)
	if err != nil {
		return dbError(ctx, "update book", err)
	}
	return dbError(ctx, "update book", expectOne(result, library.ErrBookNotFound))
}

func bookValues(b library.Book) []any {
	return []any{
		b.ID, b.ISBN, library.ISBNKey(b.ISBN), b.Title, library.TitleKey(b.Title), b.Description,
		formatList(b.Authors), joinWords(b.SearchWords()), joinWords(b.AuthorWords()), b.Version,
	}
}

// DeleteBook deletes a book. Its past loans stay, without it.
func (t *tx) DeleteBook(ctx context.Context, id string) error {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM books WHERE id = $1`, id)
	if err != nil {
		return dbError(ctx, "delete book", err)
	}
	return dbError(ctx, "delete book", expectOne(result, library.ErrBookNotFound))
}

// joinWords makes the text of a column of words. Words have no spaces in them.
func joinWords(words []string) string { return strings.Join(words, " ") }

func fromMicro(us int64) time.Time { return time.UnixMicro(us).UTC() }

// formatList and parseList keep a list of strings as a JSON array.
func formatList[T ~string](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list) // strings always marshal
	return string(b)
}

func parseList[T ~string](text []byte) ([]T, error) {
	if string(text) == "[]" {
		return nil, nil
	}
	var list []T
	err := json.Unmarshal(text, &list)
	return list, err
}
