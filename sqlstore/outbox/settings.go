package outbox

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

const theOutbox = `SELECT paused, mail_from, public_url FROM outbox`

// Outbox returns the settings of the mails so far.
func (s *Store) Outbox(ctx context.Context) (library.Outbox, error) {
	return engine.ReadOne(ctx, s.db, "read outbox", scanOutbox, theOutbox)
}

// Outbox returns the settings of the mails so far. It locks the record until the transaction ends.
func (t *Tx) Outbox(ctx context.Context) (library.Outbox, error) {
	return engine.ReadOne(ctx, t.sql, "read outbox", scanOutbox, theOutbox+t.sql.Dialect().ForShare)
}

func scanOutbox(record engine.Row) (o library.Outbox, err error) {
	var from, url sql.NullString
	err = record.Scan(&o.Paused, &from, &url)
	o.From, o.PublicURL, o.HasSent = from.String, url.String, from.Valid
	return o, err
}

// SaveOutbox replaces the record of sent mails.
func (t *Tx) SaveOutbox(ctx context.Context, o library.Outbox) error {
	var from, url any
	if o.HasSent {
		from, url = o.From, o.PublicURL
	}
	return t.write(ctx, statement("save outbox", `UPDATE outbox SET paused = $1, mail_from = $2, public_url = $3`, o.Paused, from, url))
}

// MailProblems returns the users with a refused address. An address from before does not count.
func (s *Store) MailProblems(ctx context.Context, userIDs []string) (map[string]library.MailProblem, error) {
	problems := make(map[string]library.MailProblem)
	d := s.db.Dialect()
	var a engine.Arguments
	text := `SELECT p.user_id, p.code, p.since_at FROM mail_problems p JOIN users u ON u.id = p.user_id AND u.email_key = p.email_key
		WHERE p.user_id ` + d.Among(a.Add(d.List(userIDs)))
	err := s.db.Read(ctx, engine.Reading{Doing: "read mail problems", Text: text, Args: d.PlannedFor(a), Scan: engine.Each(func(r engine.Row) error {
		var id string
		var p library.MailProblem
		var since int64
		err := r.Scan(&id, &p.Code, &since)
		p.Since = engine.FromMicro(since)
		problems[id] = p
		return err
	})})
	return problems, err
}

// MailProblem returns why nobody writes to a user; nil if there is no reason.
func (t *Tx) MailProblem(ctx context.Context, u library.User) (*library.MailProblem, error) {
	p, err := engine.ReadOne(ctx, t.sql, "read mail problem", func(r engine.Row) (p library.MailProblem, err error) {
		var since int64
		err = r.Scan(&p.Code, &since)
		p.Since = engine.FromMicro(since)
		return p, err
	}, `SELECT code, since_at FROM mail_problems WHERE user_id = $1 AND email_key = $2`, u.ID, library.EmailKey(u.Email))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &p, err
}

// SetMailProblem notes a refused address, or its end.
func (t *Tx) SetMailProblem(ctx context.Context, u library.User, p *library.MailProblem) error {
	statements := []engine.Statement{statement("end mail problem", `DELETE FROM mail_problems WHERE user_id = $1`, u.ID)}
	if p != nil {
		statements = append(statements, statement("note mail problem", `INSERT INTO mail_problems (user_id, email_key, code, since_at) SELECT id, CAST($2 AS TEXT), CAST($3 AS INTEGER), CAST($4 AS BIGINT) FROM users WHERE id = $1`,
			u.ID, library.EmailKey(u.Email), p.Code, p.Since.UnixMicro()))
	}
	return t.write(ctx, statements...)
}

// Pause returns a statement after which a restored library waits with its mails until an admin says it is no copy. Table
// is the table of the outbox as a statement names it.
func Pause(table string) string {
	return `INSERT INTO ` + table + ` (number, paused) VALUES (1, TRUE) ON CONFLICT (number) DO UPDATE SET paused = TRUE`
}
