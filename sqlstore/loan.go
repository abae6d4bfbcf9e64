package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
)

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
		return fault(ctx, "open loan", err)
	}
	return fault(ctx, "open loan", expectOne(result, library.ErrBookBorrowed))
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
		return fault(ctx, "open loan", err)
	}
	return library.ErrUserNotFound
}

// CloseLoan ends a loan. The record stays.
func (t *tx) CloseLoan(ctx context.Context, loanID string, at time.Time) error {
	result, err := t.sql.ExecContext(ctx, `
		UPDATE loans SET returned_at = $1 WHERE id = $2 AND returned_at IS NULL`,
		at.UnixMicro(), loanID)
	if err != nil {
		return fault(ctx, "close loan", err)
	}
	return fault(ctx, "close loan", expectOne(result, library.ErrBookNotBorrowed))
}

// HasOpenLoans reports whether the user has a book now.
func (t *tx) HasOpenLoans(ctx context.Context, userID string) (bool, error) {
	var has bool
	err := t.sql.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM loans WHERE user_id = $1 AND returned_at IS NULL)`, userID).Scan(&has)
	return has, fault(ctx, "look for loans", err)
}
