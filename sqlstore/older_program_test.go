package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// olderProgram speaks to the database as the version before copies does: with
// its statements, on a connection that has prepared them before the migration.
type olderProgram struct {
	conn       *sql.Conn
	isPostgres bool
}

// The statements of that version.
const (
	olderBook     = `b.id, b.isbn, b.title, b.description, b.authors, b.created_at, b.version`
	olderLoan     = `l.id, l.book_title, l.borrowed_at, u.id, u.first_name, u.last_name, u.version`
	olderOpenLoan = ` LEFT JOIN loans l ON l.book_id = b.id AND l.returned_at IS NULL LEFT JOIN users u ON u.id = l.user_id`
	olderUser     = `id, email, first_name, last_name, roles, created_at, version`
	olderCaller   = `c.id, c.email, c.first_name, c.last_name, c.roles, c.created_at, c.version`

	olderList = `SELECT ` + olderBook + `, ` + olderLoan + ` FROM books b` + olderOpenLoan + ` ORDER BY b.title_key, b.title, b.id`
	olderLent = `SELECT count(*) FROM loans l CROSS JOIN books b WHERE b.id = l.book_id AND l.returned_at IS NULL`
	olderAdd  = `INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, search_words, author_words, version, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	olderEdit = `UPDATE books SET isbn = $2, isbn_key = $3, title = $4, title_key = $5, description = $6,
		authors = $7, search_words = $8, author_words = $9, version = $10 WHERE id = $1`
	olderDelete  = `DELETE FROM books WHERE id = $1`
	olderAddUser = `INSERT INTO users (id, email, email_key, first_name, first_name_key, last_name, last_name_key,
		roles, search_words, version, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	olderFindUser   = `SELECT ` + olderUser + ` FROM users WHERE email_key = $1`
	olderDeleteUser = `DELETE FROM users WHERE id = $1`
	olderLend       = `INSERT INTO loans (id, book_id, book_title, user_id, borrowed_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (book_id) WHERE returned_at IS NULL DO NOTHING`
	olderReturn = `UPDATE loans SET returned_at = $1 WHERE id = $2 AND returned_at IS NULL`

	olderLockSQLite   = `SELECT ` + olderBook + `, ` + olderLoan + `, ` + olderCaller + ` FROM books b CROSS JOIN users c` + olderOpenLoan + ` WHERE b.id = $1 AND c.id = $2`
	olderLockPostgres = `SELECT ` + olderBook + `, l.id, l.book_title, l.borrowed_at, l.user_id, l.first_name, l.last_name, l.user_version, ` + olderCaller + `
		FROM (SELECT * FROM books WHERE id = $1 FOR UPDATE) b
		CROSS JOIN LATERAL (SELECT * FROM users WHERE id = CASE WHEN b.id = '' THEN '' ELSE $2 END FOR SHARE) c
		LEFT JOIN LATERAL open_loan(b.id) l ON true`
)

func startOlderProgram(t testing.TB, address string) *olderProgram {
	t.Helper()
	driver, dsn := "pgx", address
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		driver, dsn = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_txlock=immediate"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	return &olderProgram{conn: conn, isPostgres: driver == "pgx"}
}

func (p *olderProgram) run(text string, args ...any) error {
	_, err := p.conn.ExecContext(context.Background(), text, args...)
	return err
}

// rows are the rows of a statement, as text.
func (p *olderProgram) rows(text string, args ...any) ([]string, error) {
	rows, err := p.conn.QueryContext(context.Background(), text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []string
	for rows.Next() {
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprint(values...))
	}
	return all, rows.Err()
}

func (p *olderProgram) addBook(id string) error {
	return p.run(olderAdd, id, "", "", id, id, "", `["A"]`, id, "a", "1", 1)
}

func (p *olderProgram) editBook(id string) error {
	return p.run(olderEdit, id, "", "", id+"!", id, "", `["A"]`, id, "a", "2")
}

func (p *olderProgram) addUser(id string) error {
	return p.run(olderAddUser, id, id, id, "F", "f", "L", "l", "[]", "f l", "1", 1)
}

// lent is how the caller finds a book, locked: the loan of it, or "".
func (p *olderProgram) lent(tx *sql.Tx, book, user string) (loan, borrower string, err error) {
	text := olderLockSQLite
	if p.isPostgres {
		text = olderLockPostgres
	}
	var loanID, userID sql.NullString
	dest := make([]any, 21)
	for i := range dest {
		dest[i] = new(any)
	}
	dest[7], dest[10] = &loanID, &userID
	err = tx.QueryRow(text, book, user).Scan(dest...)
	return loanID.String, userID.String, err
}

// lend borrows a book, or returns it if the user has it already.
func (p *olderProgram) lend(book, user, loanID string) error {
	tx, err := p.conn.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	loan, borrower, err := p.lent(tx, book, user)
	switch {
	case err != nil:
		return err
	case loan == "":
		_, err = tx.Exec(olderLend, loanID, book, book, user, 1)
	case borrower == user:
		_, err = tx.Exec(olderReturn, 2, loan)
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}
