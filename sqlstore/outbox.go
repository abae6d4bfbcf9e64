package sqlstore

import (
	"context"
	"database/sql"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

const theOutbox = `SELECT paused, mail_from, public_url FROM outbox`

// Outbox returns with what the library has sent mails.
func (s *Store) Outbox(ctx context.Context) (library.Outbox, error) {
	return engine.ReadOne(ctx, s.db, "read outbox", scanOutbox, theOutbox)
}

func scanOutbox(record engine.Row) (o library.Outbox, err error) {
	var from, url sql.NullString
	err = record.Scan(&o.Paused, &from, &url)
	o.From, o.PublicURL, o.HasSent = from.String, url.String, from.Valid
	return o, err
}

// SaveOutbox replaces what is known of the mails that were sent.
func (t *tx) SaveOutbox(ctx context.Context, o library.Outbox) error {
	var from, url any
	if o.HasSent {
		from, url = o.From, o.PublicURL
	}
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("save outbox", `UPDATE outbox SET paused = $1, mail_from = $2, public_url = $3`, o.Paused, from, url)
	return w.err
}

// MailProblems returns the users whose address is refused. One that they had before does
// not count.
func (s *Store) MailProblems(ctx context.Context, userIDs []string) (map[string]library.MailProblem, error) {
	problems := make(map[string]library.MailProblem)
	var a engine.Arguments
	text := `SELECT p.user_id, p.code, p.since_at FROM mail_problems p JOIN users u ON u.id = p.user_id AND u.email_key = p.email_key
		WHERE p.user_id ` + s.dialect.Among(a.Add(s.dialect.List(userIDs)))
	err := s.db.Read(ctx, engine.Reading{Doing: "read mail problems", Text: text, Args: s.plannedFor(a), Scan: engine.Each(func(r engine.Row) error {
		var id string
		var p library.MailProblem
		var since int64
		err := r.Scan(&id, &p.Code, &since)
		p.Since = fromMicro(since)
		problems[id] = p
		return err
	})})
	return problems, err
}

// PauseMail is what makes a library that was restored wait with its mails until an admin says
// that it is not a copy. A backup of an older version gets the table as its migration would
// make it.
func PauseMail(dialect, table string) []string {
	columns := `
    number     INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CONSTRAINT outbox_is_one CHECK (number = 1),
    paused     INTEGER NOT NULL DEFAULT 0,
    mail_from  TEXT, -- NULL: nothing was sent yet
    public_url TEXT
) STRICT`
	yes := `1`
	if dialect == "postgres" {
		columns = `
    number     INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CONSTRAINT outbox_is_one CHECK (number = 1),
    paused     BOOLEAN NOT NULL DEFAULT FALSE,
    mail_from  TEXT COLLATE "C",
    public_url TEXT COLLATE "C"
)`
		yes = `TRUE`
	}
	return []string{
		`CREATE TABLE IF NOT EXISTS ` + table + ` (` + columns,
		`INSERT INTO ` + table + ` (number, paused) VALUES (1, ` + yes + `) ON CONFLICT (number) DO UPDATE SET paused = ` + yes,
	}
}
