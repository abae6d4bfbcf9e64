package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
)

// The columns of an open loan l and its borrower, in the order of loanRow.
const (
	loanColumns = `l.id, l.book_title, l.borrowed_at, u.id, u.first_name, u.last_name, u.version`
	// lockedLoanColumns are those of PostgreSQL's function open_loan.
	lockedLoanColumns = `l.id, l.book_title, l.borrowed_at, l.user_id, l.first_name, l.last_name, l.user_version`
	// noLoanColumns are for books that are read without their loans.
	noLoanColumns = `NULL, NULL, NULL, NULL, NULL, NULL, NULL`

	openLoan = ` LEFT JOIN loans l ON l.book_id = b.id AND l.returned_at IS NULL`
	borrower = ` LEFT JOIN users u ON u.id = l.user_id`
)

// loanRow is the loanColumns of a row: all NULL where there is no loan.
type loanRow struct {
	id, title                  sql.NullString
	since                      sql.NullInt64
	borrower, first, last, ver sql.NullString
}

func (r *loanRow) appendDest(dest []any) []any {
	return append(dest, &r.id, &r.title, &r.since, &r.borrower, &r.first, &r.last, &r.ver)
}

func (r *loanRow) loan(bookID string) *library.Loan {
	if !r.id.Valid {
		return nil
	}
	return &library.Loan{
		ID: r.id.String, BookID: bookID, Title: r.title.String, Since: fromMicro(r.since.Int64),
		Borrower: library.Person{ID: r.borrower.String, FirstName: r.first.String, LastName: r.last.String, Version: r.ver.String},
	}
}

// Circulation loads a book with its open loan, and locks it until the end of the
// transaction.
func (t *tx) Circulation(ctx context.Context, bookID string) (library.Circulation, error) {
	b, err := readBook(ctx, t.sql, t.dialect.lockedBook, bookID)
	return library.Circulation{Book: b}, err
}

// OpenLoan lends a book. A book that is lent already is no error to the
// database, so that the transaction stays usable on both of them.
func (t *tx) OpenLoan(ctx context.Context, l library.Loan) error {
	result, err := t.sql.ExecContext(ctx, `
		INSERT INTO loans (id, book_id, book_title, user_id, borrowed_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (book_id) WHERE returned_at IS NULL DO NOTHING`,
		l.ID, l.BookID, l.Title, l.Borrower.ID, l.Since.UnixMicro())
	if d := t.dialect.diagnose(err); d.kind == foreignKeyViolation {
		return t.missing(ctx, d, l.BookID)
	}
	if err != nil {
		return dbError(ctx, "open loan", err)
	}
	return dbError(ctx, "open loan", expectOne(result, library.ErrBookBorrowed))
}

// missing says which end of a loan is not there. SQLite does not name the
// foreign key, but lets us look.
func (t *tx) missing(ctx context.Context, d diagnosis, bookID string) error {
	switch d.constraint {
	case loansBook:
		return library.ErrBookNotFound
	case loansUser:
		return library.ErrUserNotFound
	}
	var one int
	err := t.sql.QueryRowContext(ctx, `SELECT 1 FROM books WHERE id = $1`, bookID).Scan(&one)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return library.ErrBookNotFound
	case err != nil:
		return dbError(ctx, "open loan", err)
	}
	return library.ErrUserNotFound
}

// CloseLoan ends a loan. The record stays.
func (t *tx) CloseLoan(ctx context.Context, loanID string, at time.Time) error {
	result, err := t.sql.ExecContext(ctx, `
		UPDATE loans SET returned_at = $1 WHERE id = $2 AND returned_at IS NULL`,
		at.UnixMicro(), loanID)
	if err != nil {
		return dbError(ctx, "close loan", err)
	}
	return dbError(ctx, "close loan", expectOne(result, library.ErrBookNotBorrowed))
}

// HasOpenLoans reports whether the user has a book now.
func (t *tx) HasOpenLoans(ctx context.Context, userID string) (bool, error) {
	var has bool
	err := t.sql.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM loans WHERE user_id = $1 AND returned_at IS NULL)`, userID).Scan(&has)
	return has, dbError(ctx, "look for loans", err)
}
