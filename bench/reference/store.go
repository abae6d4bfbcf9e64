package main

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type store struct{ db *pgxpool.Pool }

type user struct{ ID, FirstName, LastName string }

type person struct {
	Identifier string `json:"identifier"`
	FirstName  string `json:"firstName"`
	LastName   string `json:"lastName"`
}

type book struct {
	Identifier  string     `json:"identifier"`
	ISBN        string     `json:"isbn,omitempty"`
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Authors     []string   `json:"authors,omitempty"`
	Copies      int        `json:"copies"`
	Available   int        `json:"available"`
	Borrowed    bool       `json:"borrowed"`
	BorrowedBy  *person    `json:"borrowedBy,omitempty"`
	DueAt       *time.Time `json:"dueAt,omitempty"`
}

//go:embed schema.sql
var schema string

// openStore connects and makes the tables if there are none.
func openStore(ctx context.Context, url string) (*store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 20
	db, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, schema)
	return &store{db}, err
}

func (s *store) userByEmail(ctx context.Context, email string) (user, error) {
	var u user
	err := s.db.QueryRow(ctx, `SELECT id, first_name, last_name FROM users WHERE email = lower($1)`, email).Scan(&u.ID, &u.FirstName, &u.LastName)
	return u, notFound(err)
}

// selectBooks is what everybody sees of books, and $1 of their own loans.
const selectBooks = `
	SELECT b.id, b.isbn, b.title, b.description, b.authors, count(c.id), count(c.id) - count(l.id),
		bool_or(l.user_id = $1) IS TRUE, max(l.due_at) FILTER (WHERE l.user_id = $1)
	FROM books b
		LEFT JOIN copies c ON c.book_id = b.id
		LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL `

func scanBook(row pgx.CollectableRow, u user) (book, error) {
	var b book
	var own bool
	err := row.Scan(&b.Identifier, &b.ISBN, &b.Title, &b.Description, &b.Authors, &b.Copies, &b.Available, &own, &b.DueAt)
	b.Borrowed = b.Copies > 0 && b.Available == 0
	if own {
		b.BorrowedBy = &person{u.ID, u.FirstName, u.LastName}
	}
	return b, err
}

func (s *store) book(ctx context.Context, u user, id string) (book, error) {
	rows, err := s.db.Query(ctx, selectBooks+`WHERE b.id = $2 GROUP BY b.id`, u.ID, id)
	if err != nil {
		return book{}, err
	}
	b, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (book, error) { return scanBook(row, u) })
	return b, notFound(err)
}

// books is the list by title, or what a search finds, and how many there are.
func (s *store) books(ctx context.Context, u user, q string, limit int) ([]book, int, error) {
	var most *int
	if limit > 0 {
		most = &limit
	}
	page := `WHERE b.id IN (SELECT id FROM books ORDER BY lower(title), id LIMIT $2) GROUP BY b.id ORDER BY lower(b.title), b.id`
	count, countArgs, args := `SELECT count(*) FROM books`, []any{}, []any{u.ID, most}
	if q != "" {
		page = `WHERE b.id IN (SELECT id FROM books WHERE search @@ websearch_to_tsquery('simple', $3) ORDER BY lower(title), id LIMIT $2)
			GROUP BY b.id ORDER BY lower(b.title), b.id`
		count, countArgs, args = count+` WHERE search @@ websearch_to_tsquery('simple', $1)`, []any{q}, append(args, q)
	}
	var total int
	if err := s.db.QueryRow(ctx, count, countArgs...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := s.db.Query(ctx, selectBooks+page, args...)
	if err != nil {
		return nil, 0, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (book, error) { return scanBook(row, u) })
	return list, total, err
}

func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errNotFound
	}
	return err
}
