package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// alike lends with the tables, indexes and triggers of the program. It
// writes the records of the program: the loan, the stock, two changes, and the note of what
// caches can no longer use.
type alike struct {
	transact   func(ctx context.Context, work func(ask) error) error
	share      string // the end of a statement that locks a record
	update     string
	begin      []question
	invalidate string
	look       func(context.Context, question) error // outside a transaction
}

// ask sends questions and reads the answers. The last call ends with COMMIT.
type ask func(isLast bool, all ...question) error

type question struct {
	text string
	args []any
	scan func(scanner) error // for each row; nil for a statement that changes something
}

type scanner interface{ Scan(...any) error }

// newAlike opens a database of the program. In one batch, all reads are a round trip and all
// writes are the other.
func newAlike(ctx context.Context, address string, isBatch bool) (*alike, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		return alikeOnSQLite(ctx, path)
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 20
	db, err := pgxpool.NewWithConfig(ctx, config)
	a := &alike{
		share: ` FOR SHARE`, update: ` FOR UPDATE`,
		begin: []question{{text: `SELECT set_config('library.publishes', 'on', true)`, scan: func(scanner) error { return nil }}},
		invalidate: `UPDATE revision SET changes = changes + 1, recent = ((changes + 1) || ' ' || $1::text) || recent[1:15]
			WHERE part = pg_current_xact_id()::text::bigint % 16`,
		transact: func(ctx context.Context, work func(ask) error) error {
			return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error { return work(oneByOne(ctx, tx)) })
		},
	}
	a.look = func(ctx context.Context, q question) error {
		rows, err := db.Query(ctx, q.text, q.args...)
		if err != nil {
			return err
		}
		_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, q.scan(row) })
		return err
	}
	if isBatch {
		a.transact = func(ctx context.Context, work func(ask) error) error { return inTwo(ctx, db, work) }
	}
	return a, err
}

func oneByOne(ctx context.Context, tx pgx.Tx) ask {
	return func(_ bool, all ...question) error {
		for _, q := range all {
			if q.scan == nil {
				if _, err := tx.Exec(ctx, q.text, q.args...); err != nil {
					return err
				}
				continue
			}
			rows, err := tx.Query(ctx, q.text, q.args...)
			if err != nil {
				return err
			}
			if _, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, q.scan(row) }); err != nil {
				return err
			}
		}
		return nil
	}
}

func inTwo(ctx context.Context, db *pgxpool.Pool, work func(ask) error) error {
	c, err := db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	begun, ended := false, false
	err = work(func(isLast bool, all ...question) error {
		var b pgx.Batch
		if !begun {
			b.Queue(`BEGIN`)
		}
		for _, q := range all {
			queued := b.Queue(q.text, q.args...)
			if q.scan != nil {
				queued.Query(func(rows pgx.Rows) error {
					for rows.Next() {
						if err := q.scan(rows); err != nil {
							return err
						}
					}
					return rows.Err()
				})
			}
		}
		if isLast {
			b.Queue(`COMMIT`)
		}
		begun = true
		err := c.SendBatch(ctx, &b).Close()
		ended = isLast && err == nil
		return err
	})
	if !ended {
		c.Exec(context.WithoutCancel(ctx), `ROLLBACK`)
	}
	return err
}

// userByEmail finds the caller before each transaction.
func (a *alike) userByEmail(ctx context.Context, email string) (user, error) {
	var u user
	err := a.look(ctx, question{`SELECT id, first_name, last_name FROM users WHERE email_key = $1`, []any{strings.ToLower(email)}, func(s scanner) error {
		return s.Scan(&u.ID, &u.FirstName, &u.LastName)
	}})
	if err == nil && u.ID == "" {
		err = errNotFound
	}
	return u, err
}

// record is a book with its circulation.
type record struct {
	lent
	seq        int64
	authors    string
	days, most int
	open, held int
	loan       string // the caller's
}

// load locks the book and its reader, and reads the circulation. Each statement sees what
// happened while the ones before it waited.
func (a *alike) load(ask ask, u user, id string) (r record, err error) {
	err = ask(false, append(a.begin,
		question{`SELECT seq, id, isbn, title, description, authors FROM books WHERE id = $1` + a.update, []any{id}, func(s scanner) error {
			return s.Scan(&r.seq, &r.Identifier, &r.ISBN, &r.Title, &r.Description, &r.authors)
		}},
		question{`SELECT id FROM users WHERE id = $1` + a.share, []any{u.ID}, func(scanner) error { return nil }},
		question{`SELECT c.id, l.id, l.user_id, l.due_at FROM copies c LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL
			WHERE c.book_id = $1 ORDER BY c.seq`, []any{id}, func(s scanner) error { return r.addCopy(s, u) }},
		question{`SELECT loan_days, max_loans, (SELECT count(*) FROM loans WHERE user_id = $1 AND returned_at IS NULL),
			(SELECT count(*) FROM holds WHERE book_id = $2 AND ended_at IS NULL) FROM policy`, []any{u.ID, id}, func(s scanner) error {
			return s.Scan(&r.days, &r.most, &r.open, &r.held)
		}})...)
	switch {
	case err != nil:
		return r, err
	case r.Identifier == "":
		return r, errNotFound
	case r.held > 0:
		return r, errBorrowed
	}
	return r, json.Unmarshal([]byte(r.authors), &r.Authors)
}

func (r *record) addCopy(s scanner, u user) error {
	var id string
	var loan, borrower *string
	var due *int64
	if err := s.Scan(&id, &loan, &borrower, &due); err != nil {
		return err
	}
	r.Copies++
	switch {
	case loan == nil:
		r.Available++
		r.free = &id
	case *borrower == u.ID:
		r.own, r.loan = loan, *loan
		if due != nil {
			at := time.UnixMicro(*due).UTC()
			r.due = &at
		}
	}
	r.some = r.some || loan != nil
	return nil
}

func (a *alike) borrow(ctx context.Context, u user, id string) (b book, err error) {
	err = a.transact(ctx, func(ask ask) error {
		r, err := a.load(ask, u, id)
		switch {
		case err != nil:
			return err
		case r.own != nil:
			b = r.shown(u, true)
			return ask(true)
		case r.free == nil:
			return errBorrowed
		case r.most > 0 && r.open >= r.most:
			return errTooMany
		}
		now := time.Now().UTC()
		due, loan := now.AddDate(0, 0, r.days), uuid.NewString()
		r.due, r.Available = &due, r.Available-1
		b = r.shown(u, true)
		return ask(true, append([]question{{text: `INSERT INTO loans (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, due_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, args: []any{loan, id, r.Title, r.authors, *r.free, u.ID, now.UnixMicro(), due.UnixMicro()}}},
			a.publish(r, b, "borrowed", loan, 1, u)...)...)
	})
	return b, err
}

func (a *alike) giveBack(ctx context.Context, u user, id string) (b book, err error) {
	err = a.transact(ctx, func(ask ask) error {
		r, err := a.load(ask, u, id)
		switch {
		case err != nil:
			return err
		case r.own == nil && r.some:
			return errForbidden
		case r.own == nil:
			return errNotBorrowed
		}
		r.due, r.Available = nil, r.Available+1
		b = r.shown(u, false)
		return ask(true, append([]question{{text: `UPDATE loans SET returned_at = $2 WHERE id = $1 AND returned_at IS NULL`, args: []any{r.loan, time.Now().UnixMicro()}}},
			a.publish(r, b, "returned", r.loan, 2, u)...)...)
	})
	return b, err
}

// publish returns the program's writes beside a loan.
func (a *alike) publish(r record, b book, kind, loan string, step int, u user) []question {
	var due any
	if b.Borrowed && r.due != nil {
		due = r.due.UnixMicro()
	}
	return []question{
		{text: `UPDATE stock SET copies = $2, available = $3, waiting = 0, lent = $4, ready = 0, borrowed = $5, due_at = $6 WHERE seq = $1`,
			args: []any{r.seq, b.Copies, b.Available, b.Copies - b.Available, b.Borrowed, due}},
		{text: `INSERT INTO changes (kind, subject, borrowed, available, step, person) VALUES ($1, $2, $3, $4, $5, $6), ($7, $8, $9, $10, $11, $12)`,
			args: []any{"loan", loan, false, 0, step, u.ID, kind, b.Identifier, b.Borrowed, b.Available, 0, nil}},
		{text: a.invalidate, args: []any{b.Identifier[24:]}},
	}
}
