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

// Every read of a book is of the book, its open loan and the borrower.
const (
	bookColumns = `b.id, b.isbn, b.title, b.description, b.authors, b.created_at, b.version, `
	loanColumns = bookColumns + `l.id, l.book_title, l.borrowed_at, u.id, u.first_name, u.last_name, u.version`
	openLoan    = ` LEFT JOIN loans l ON l.book_id = b.id AND l.returned_at IS NULL`
	borrower    = ` LEFT JOIN users u ON u.id = l.user_id`

	oneBook = `SELECT ` + loanColumns + ` FROM books b` + openLoan + borrower + ` WHERE b.id = $1`
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
	return b, fault(ctx, "read book", err)
}

// scanBook reads the loanColumns of a row, and what more there is behind them.
func scanBook(row interface{ Scan(...any) error }, more ...any) (library.Book, error) {
	var (
		b                                             library.Book
		authors                                       []byte
		created                                       int64
		loan, title, borrower, first, last, borrowerV sql.NullString
		since                                         sql.NullInt64
	)
	err := row.Scan(append([]any{&b.ID, &b.ISBN, &b.Title, &b.Description, &authors, &created, &b.Version,
		&loan, &title, &since, &borrower, &first, &last, &borrowerV}, more...)...)
	if err != nil {
		return library.Book{}, err
	}
	b.Created = fromMicro(created)
	if b.Authors, err = parseList[string](authors); err != nil {
		return library.Book{}, err
	}
	if loan.Valid {
		b.Loan = &library.Loan{
			ID: loan.String, BookID: b.ID, Title: title.String, Since: fromMicro(since.Int64),
			Borrower: library.Person{
				ID: borrower.String, FirstName: first.String, LastName: last.String, Version: borrowerV.String,
			},
		}
	}
	return b, nil
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
	return fault(ctx, "add book", err)
}

// UpdateBook replaces what can be edited of a book.
func (t *tx) UpdateBook(ctx context.Context, b library.Book) error {
	result, err := t.sql.ExecContext(ctx, `
		UPDATE books SET isbn = $2, isbn_key = $3, title = $4, title_key = $5, description = $6,
			authors = $7, search_words = $8, author_words = $9, version = $10
		WHERE id = $1`,
		bookValues(b)...)
	if err != nil {
		return fault(ctx, "update book", err)
	}
	return fault(ctx, "update book", expectOne(result, library.ErrBookNotFound))
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
		return fault(ctx, "delete book", err)
	}
	return fault(ctx, "delete book", expectOne(result, library.ErrBookNotFound))
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
