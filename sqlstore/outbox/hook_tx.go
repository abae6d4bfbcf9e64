package outbox

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/webhook"
)

// writeUnseen writes to the tables of web hooks, invisible in every book.
func (t *Tx) writeUnseen(ctx context.Context, statements ...engine.Statement) error {
	t.unseen()
	return t.write(ctx, statements...)
}

// BeginHooks begins at a place, and takes overdue loans for told.
func (t *Tx) BeginHooks(ctx context.Context, at library.Position, now time.Time) error {
	return t.writeUnseen(ctx, statement("begin web hooks", `INSERT INTO webhook_feed (number, major, seq, mark) VALUES (1, $1, $2, $3)
		ON CONFLICT (number) DO UPDATE SET major = excluded.major, seq = excluded.seq, mark = excluded.mark`, at.TxID, at.Seq, at.Nonce),
		statement("begin web hooks", `INSERT INTO webhook_overdue (loan_id, renewals) SELECT id, renewals FROM loans WHERE `+isOverdue+`
		ON CONFLICT (loan_id) DO UPDATE SET renewals = excluded.renewals`, now.UnixMicro()))
}

// isOverdue is the condition of open loans overdue at $1, in the words of an index.
const isOverdue = `returned_at IS NULL AND claimed_at IS NULL AND coalesce(due_at, 9223372036854775807) < $1`

// AddHookEvents adds events, and moves the place if it is to be moved.
func (t *Tx) AddHookEvents(ctx context.Context, from, to library.Position, events []webhook.Event) error {
	if from != to {
		isMoved, err := hasChanged(ctx, t.sql, movingPlace, `UPDATE webhook_feed SET major = $1, seq = $2, mark = $3 WHERE major = $4 AND seq = $5 AND mark = $6`,
			to.TxID, to.Seq, to.Nonce, from.TxID, from.Seq, from.Nonce)
		if err != nil {
			return err
		}
		if !isMoved {
			return t.sql.Dialect().Error(ctx, movingPlace, webhook.ErrMoved)
		}
	}
	rows := make([][]any, len(events))
	var deleted []string
	for i, e := range events {
		rows[i] = []any{e.ID, string(e.Type), e.BookID, e.BookTitle, e.Record, e.At.UnixMicro(), e.Collected.UnixMicro()}
		if e.Type == webhook.BookDeleted {
			deleted = append(deleted, e.BookID)
		}
	}
	var statements []engine.Statement
	for text, args := range t.sql.Dialect().Inserts(`webhook_events (`+hookEventColumns+`)`, hookEventTypes, rows) {
		statements = append(statements, statement("add events for web hooks", text, args...))
	}
	if len(deleted) > 0 {
		statements = append(statements, statement("drop deleted titles", `DELETE FROM deleted_titles WHERE book_id `+t.sql.Dialect().Among(`$1`), t.sql.Dialect().List(deleted)))
	}
	return t.writeUnseen(ctx, statements...)
}

// UntoldOverdue locks the place first, and then sees every later addition.
func (t *Tx) UntoldOverdue(ctx context.Context, now time.Time, most int) (events []webhook.Event, err error) {
	if err := t.sql.Read(ctx, engine.Reading{Doing: readingPlace, Text: hookPlace + t.sql.Dialect().ForUpdate, Scan: engine.None}); err != nil {
		return nil, err
	}
	return untoldOverdue(ctx, t.sql, now, most)
}

// UntoldOverdue does the same without a lock.
func (s *Store) UntoldOverdue(ctx context.Context, now time.Time, most int) ([]webhook.Event, error) {
	return untoldOverdue(ctx, s.db, now, most)
}

func untoldOverdue(ctx context.Context, q engine.Reader, now time.Time, most int) ([]webhook.Event, error) {
	return engine.Collect(ctx, q, "look for overdue loans", func(r engine.Row) (e webhook.Event, err error) {
		var due int64
		err = r.Scan(&e.Record, &e.BookID, &e.BookTitle, &due)
		e.At = engine.FromMicro(due)
		return e, err
	}, `SELECT id, book_id, book_title, due_at FROM loans WHERE `+isOverdue+`
			AND NOT EXISTS (SELECT 1 FROM webhook_overdue o WHERE o.loan_id = loans.id AND o.renewals = loans.renewals)
		ORDER BY coalesce(due_at, 9223372036854775807), id LIMIT $2`, now.UnixMicro(), most)
}

// MarkTold keeps with how many renewals the loans were told of.
func (t *Tx) MarkTold(ctx context.Context, events []webhook.Event) error {
	loans := make([]string, len(events))
	for i, e := range events {
		loans[i] = e.Record
	}
	return t.writeUnseen(ctx, statement("mark overdue loans as told", `INSERT INTO webhook_overdue (loan_id, renewals) SELECT id, renewals FROM loans WHERE id `+t.sql.Dialect().Among(`$1`)+`
		ON CONFLICT (loan_id) DO UPDATE SET renewals = excluded.renewals`, t.sql.Dialect().List(loans)))
}

// AddHook finds a hook, or adds it at the end of the events.
func (t *Tx) AddHook(ctx context.Context, key string, now time.Time) (h webhook.Hook, isNew bool, err error) {
	t.unseen()
	h, err = engine.ReadOne(ctx, t.sql, "read web hook", scanHook, `SELECT `+hookColumns+` FROM webhooks WHERE hook = $1`+t.sql.Dialect().ForUpdate, key)
	if errors.Is(err, sql.ErrNoRows) {
		isNew = true
		_, err = t.sql.ExecContext(ctx, `INSERT INTO webhooks (hook, position, used_at) SELECT $1, coalesce(max(seq), 0), $2 FROM webhook_events
			WHERE 1 = 1 ON CONFLICT DO NOTHING`, key, now.UnixMicro())
	} else if err == nil {
		_, err = t.sql.ExecContext(ctx, `UPDATE webhooks SET is_off = (1 = 0), next_at = NULL, used_at = $2 WHERE hook = $1`, key, now.UnixMicro())
	}
	if err != nil {
		return h, false, t.sql.Dialect().Error(ctx, "add web hook", err)
	}
	h, err = engine.ReadOne(ctx, t.sql, "read web hook", scanHook, `SELECT `+hookColumns+` FROM webhooks WHERE hook = $1`, key)
	return h, isNew, err
}

// SaveHook saves how far a hook has come.
func (t *Tx) SaveHook(ctx context.Context, h webhook.Hook, from int64, now time.Time) error {
	save := statement("save web hook", `UPDATE webhooks SET position = $3, attempts = $4, failing_since = $5, next_at = $6, is_off = $7, used_at = $8
		WHERE hook = $1 AND position = $2`,
		h.Key, from, h.Position, h.Attempts, engine.MicroOrNull(h.Failing), engine.MicroOrNull(h.Next), h.Off, now.UnixMicro())
	save.NotFound = webhook.ErrMoved
	return t.writeUnseen(ctx, save)
}

// TrimHooks drops old records.
func (t *Tx) TrimHooks(ctx context.Context, keys []string, now, unused time.Time) error {
	return t.writeUnseen(ctx,
		statement("keep web hooks", `UPDATE webhooks SET used_at = $1 WHERE hook `+t.sql.Dialect().Among(`$2`), now.UnixMicro(), t.sql.Dialect().List(keys)),
		statement("drop web hooks", `DELETE FROM webhooks WHERE used_at < $1`, unused.UnixMicro()),
		statement("drop events", `DELETE FROM webhook_events WHERE seq <= (SELECT min(position) FROM webhooks)`),
		statement("drop overdue loans", `DELETE FROM webhook_overdue WHERE NOT EXISTS (
		SELECT 1 FROM loans l WHERE l.id = loan_id AND l.returned_at IS NULL AND l.renewals = webhook_overdue.renewals)`))
}
