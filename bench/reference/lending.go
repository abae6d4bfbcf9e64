package main

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// lent is a locked book, with its copies.
type lent struct {
	book
	own  *string // the caller's open loan
	free *string // a copy that nobody has
	due  *time.Time
	some bool // somebody has a copy
}

// lockBook locks the book, and reads it in a second statement, which sees what
// happened while the first one waited.
func lockBook(ctx context.Context, tx pgx.Tx, u user, id string) (lent, error) {
	var l lent
	if err := tx.QueryRow(ctx, `SELECT id, isbn, title, description, authors FROM books WHERE id = $1 FOR UPDATE`, id).
		Scan(&l.Identifier, &l.ISBN, &l.Title, &l.Description, &l.Authors); err != nil {
		return l, notFound(err)
	}
	err := tx.QueryRow(ctx, `
		SELECT count(c.id), count(c.id) - count(l.id), min(c.id) FILTER (WHERE l.id IS NULL), count(l.id) > 0,
			min(l.id) FILTER (WHERE l.user_id = $2), min(l.due_at) FILTER (WHERE l.user_id = $2)
		FROM copies c LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL
		WHERE c.book_id = $1`, id, u.ID).Scan(&l.Copies, &l.Available, &l.free, &l.some, &l.own, &l.due)
	return l, err
}

// borrow lends a free copy to the caller, unless the caller has one.
func (s *store) borrow(ctx context.Context, u user, id string) (book, error) {
	var b book
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		l, err := lockBook(ctx, tx, u, id)
		if err != nil {
			return err
		}
		switch {
		case l.own != nil:
			b = l.shown(u, true)
			return nil
		case l.free == nil:
			return errBorrowed
		}
		// The reader is locked if there is a limit, so that two loans at once are
		// not counted past each other.
		var days, most int
		if err := tx.QueryRow(ctx, `SELECT loan_days, max_loans FROM policy`).Scan(&days, &most); err != nil {
			return err
		}
		if most > 0 {
			var open int
			if _, err := tx.Exec(ctx, `SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE`, u.ID); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM loans WHERE user_id = $1 AND returned_at IS NULL`, u.ID).Scan(&open); err != nil {
				return err
			}
			if open >= most {
				return errTooMany
			}
		}
		due := time.Now().UTC().AddDate(0, 0, days)
		_, err = tx.Exec(ctx, `INSERT INTO loans (id, copy_id, book_id, user_id, borrowed_at, due_at) VALUES ($1, $2, $3, $4, now(), $5)`,
			uuid.NewString(), *l.free, id, u.ID, due)
		l.due, l.Available = &due, l.Available-1
		b = l.shown(u, true)
		return err
	})
	return b, err
}

// giveBack ends the caller's loan.
func (s *store) giveBack(ctx context.Context, u user, id string) (book, error) {
	var b book
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		l, err := lockBook(ctx, tx, u, id)
		switch {
		case err != nil:
			return err
		case l.own == nil && l.some:
			return errForbidden
		case l.own == nil:
			return errNotBorrowed
		}
		_, err = tx.Exec(ctx, `UPDATE loans SET returned_at = now() WHERE id = $1`, *l.own)
		l.Available++
		b = l.shown(u, false)
		return err
	})
	return b, err
}

// shown is the book as its borrower sees it.
func (l lent) shown(u user, own bool) book {
	b := l.book
	b.Borrowed = b.Copies > 0 && b.Available == 0
	if own {
		b.BorrowedBy, b.DueAt = &person{u.ID, u.FirstName, u.LastName}, l.due
	}
	return b
}
