package bench

import (
	"context"
	"database/sql"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// The reference for lending: the same reads and writes as ours, one statement
// after the other, without HTTP, a token, rules, or anything that is not SQL.

// readBare is what a lending has to know: who asks, the book, its copies with
// their loans and holds, the queue, the policy, and how much the reader has.
var readBare = []bareRead{
	{query: `SELECT id, title, authors, version FROM books WHERE id = $1`, lock: ` FOR UPDATE`, of: theBook},
	{query: `SELECT id, email, first_name, last_name, roles, version FROM users WHERE id = $1`, lock: ` FOR SHARE`, of: theReader},
	{of: theBook, query: `SELECT c.id, c.barcode, c.shelf, c.note, c.state, c.created_at, c.version, l.id, l.borrowed_at, l.due_at, l.renewals,
			lu.id, lu.first_name, lu.last_name, h.id, h.seq, h.until_at, h.created_at, hu.id, hu.first_name, hu.last_name
		FROM copies c
			LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL LEFT JOIN users lu ON lu.id = l.user_id
			LEFT JOIN holds h ON h.copy_id = c.id LEFT JOIN users hu ON hu.id = h.user_id
		WHERE c.book_id = $1 ORDER BY c.seq`},
	{of: theBook, query: `SELECT h.id, h.seq, h.created_at, u.id, u.first_name, u.last_name FROM holds h JOIN users u ON u.id = h.user_id
		WHERE h.book_id = $1 AND h.state = 'waiting' AND h.ended_at IS NULL ORDER BY h.seq`},
	{query: `SELECT loan_days, renewals, max_loans, max_holds, block_overdue, hold_days, history_days, time_zone,
		closed_weekdays, closed_dates, version FROM policy`},
	{of: theReader, query: `SELECT (SELECT count(*) FROM loans WHERE user_id = $1 AND returned_at IS NULL),
		(SELECT count(*) FROM loans WHERE user_id = $1 AND returned_at IS NULL AND due_at < 5),
		(SELECT count(*) FROM holds WHERE user_id = $1 AND ended_at IS NULL)`},
}

// bareRead is a statement about the book, about the reader, or about neither.
// The lock is for PostgreSQL; on SQLite a transaction is alone.
type bareRead struct {
	query, lock string
	of          func(book, user string) []any
}

func theBook(book, _ string) []any   { return []any{book} }
func theReader(_, user string) []any { return []any{user} }

func (r bareRead) text(locks bool) string {
	if locks {
		return r.query + r.lock
	}
	return r.query
}

func (r bareRead) args(book, user string) []any {
	if r.of == nil {
		return nil
	}
	return r.of(book, user)
}

const (
	openBareLoan = `INSERT INTO loans (id, book_id, book_title, copy_id, user_id, borrowed_at, due_at)
		VALUES ($1, $2, 'a title', $3, $4, 1, 9)`
	closeBareLoan = `UPDATE loans SET returned_at = 2 WHERE id = $1 AND returned_at IS NULL`
	saveBareStock = `UPDATE stock SET available = $2, lent = $3, borrowed = $4
		WHERE seq = (SELECT seq FROM books WHERE id = $1)`
)

// bareLender borrows and returns one book of its own, with nothing but the two
// transactions. Statements are prepared once.
func bareLender(t *testing.T, db *sql.DB, locks bool) func(int) (func() error, func()) {
	ctx := context.Background()
	var user string
	testkit.NoError(t, db.QueryRow("SELECT id FROM users WHERE email = $1", reader).Scan(&user))
	prepare := func(text string) *sql.Stmt {
		s, err := db.PrepareContext(ctx, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	open, end, stock := prepare(openBareLoan), prepare(closeBareLoan), prepare(saveBareStock)
	reads := make([]*sql.Stmt, len(readBare))
	for i, r := range readBare {
		reads[i] = prepare(r.text(locks))
	}
	return func(i int) (func() error, func()) {
		book := bookID(i)
		var copyID string
		testkit.NoError(t, db.QueryRow("SELECT id FROM copies WHERE book_id = $1", book).Scan(&copyID))
		know := make([]bareStatement, len(readBare))
		for i, r := range readBare {
			know[i] = bareStatement{reads[i], r.args(book, user)}
		}
		return func() error {
			loan := library.NewID()
			err := inTx(ctx, db, know,
				bareStatement{open, []any{loan, book, copyID, user}},
				bareStatement{stock, []any{book, 0, 1, true}})
			if err != nil {
				return err
			}
			return inTx(ctx, db, know,
				bareStatement{end, []any{loan}},
				bareStatement{stock, []any{book, 1, 0, false}})
		}, func() {}
	}
}

type bareStatement struct {
	prepared *sql.Stmt
	args     []any
}

// inTx reads what a lending has to know and writes what it changes.
func inTx(ctx context.Context, db *sql.DB, reads []bareStatement, writes ...bareStatement) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, r := range reads {
		if err := readAll(tx.StmtContext(ctx, r.prepared).QueryContext(ctx, r.args...)); err != nil {
			return err
		}
	}
	for _, w := range writes {
		if _, err := tx.StmtContext(ctx, w.prepared).ExecContext(ctx, w.args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// readAll fetches every column of every row.
func readAll(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return err
		}
	}
	return rows.Err()
}
