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

func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errNotFound
	}
	return err
}
