package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/hook"
	"example.org/library/sqlstore/engine"
)

var (
	_ hook.Store = (*Store)(nil)
	_ hook.Tx    = (*tx)(nil)
)

// HookTx is Tx for web hooks.
func (s *Store) HookTx(ctx context.Context, fn func(hook.Tx) error) error {
	return s.inTx(ctx, func(t *tx) error { return fn(t) })
}

// hooks is a writer for the tables of the web hooks, which no book shows.
func (t *tx) hooks(ctx context.Context) writer {
	t.changes.past = true
	return writer{ctx: ctx, tx: t.sql}
}

// BeginHooks begins at a place, and takes what is overdue for told.
func (t *tx) BeginHooks(ctx context.Context, at library.Position, now time.Time) error {
	w := t.hooks(ctx)
	w.exec("begin web hooks", `INSERT INTO webhook_feed (number, major, seq, mark) VALUES (1, $1, $2, $3)
		ON CONFLICT (number) DO UPDATE SET major = excluded.major, seq = excluded.seq, mark = excluded.mark`, at.TxID, at.Seq, at.Nonce)
	w.exec("begin web hooks", `INSERT INTO webhook_overdue (loan_id, renewals) SELECT id, renewals FROM loans WHERE `+isOverdue+`
		ON CONFLICT (loan_id) DO UPDATE SET renewals = excluded.renewals`, now.UnixMicro())
	return w.err
}

// isOverdue is true of open loans that are overdue at $1, in the words of an index.
const isOverdue = `returned_at IS NULL AND coalesce(due_at, 9223372036854775807) < $1`

// AddHookEvents adds events, and moves the place if it is to be moved.
func (t *tx) AddHookEvents(ctx context.Context, from, to library.Position, events []hook.Event) error {
	w := t.hooks(ctx)
	if from != to {
		result, err := t.sql.ExecContext(ctx, `UPDATE webhook_feed SET major = $1, seq = $2, mark = $3 WHERE major = $4 AND seq = $5 AND mark = $6`,
			to.TxID, to.Seq, to.Nonce, from.TxID, from.Seq, from.Nonce)
		if err == nil {
			err = expectOne(result, hook.ErrMoved)
		}
		if err != nil {
			return t.dialect.Error(ctx, "move place of web hooks", err)
		}
	}
	rows := make([][]any, len(events))
	var deleted []string
	for i, e := range events {
		rows[i] = []any{e.ID, string(e.Type), e.BookID, e.BookTitle, e.Record, e.At.UnixMicro(), e.Collected.UnixMicro()}
		if e.Type == hook.BookDeleted {
			deleted = append(deleted, e.BookID)
		}
	}
	w.insert("add events for web hooks", `webhook_events (`+hookEventColumns+`)`, []string{"text", "text", "text", "text", "text", "bigint", "bigint"}, rows)
	if len(deleted) > 0 {
		w.exec("drop deleted titles", `DELETE FROM deleted_titles WHERE book_id `+t.dialect.Among(`$1`), t.dialect.List(deleted))
	}
	return w.err
}

// UntoldOverdue locks the place first: what is added meanwhile it sees.
func (t *tx) UntoldOverdue(ctx context.Context, now time.Time, most int) (events []hook.Event, err error) {
	if err := t.sql.Read(ctx, engine.Reading{Doing: readingPlace, Text: hookPlace + t.dialect.ForUpdate, Scan: engine.None}); err != nil {
		return nil, err
	}
	return untoldOverdue(ctx, t.sql, now, most)
}

// UntoldOverdue does the same without a lock.
func (s *Store) UntoldOverdue(ctx context.Context, now time.Time, most int) ([]hook.Event, error) {
	return untoldOverdue(ctx, s.db, now, most)
}

func untoldOverdue(ctx context.Context, q engine.Reader, now time.Time, most int) ([]hook.Event, error) {
	return engine.Collect(ctx, q, "look for overdue loans", func(r engine.Row) (e hook.Event, err error) {
		var due int64
		err = r.Scan(&e.Record, &e.BookID, &e.BookTitle, &due)
		e.At = fromMicro(due)
		return e, err
	}, `SELECT id, book_id, book_title, due_at FROM loans WHERE `+isOverdue+`
			AND NOT EXISTS (SELECT 1 FROM webhook_overdue o WHERE o.loan_id = loans.id AND o.renewals = loans.renewals)
		ORDER BY coalesce(due_at, 9223372036854775807), id LIMIT $2`, now.UnixMicro(), most)
}

// MarkTold keeps with how many renewals the loans were told of.
func (t *tx) MarkTold(ctx context.Context, events []hook.Event) error {
	loans := make([]string, len(events))
	for i, e := range events {
		loans[i] = e.Record
	}
	w := t.hooks(ctx)
	w.exec("mark overdue loans as told", `INSERT INTO webhook_overdue (loan_id, renewals) SELECT id, renewals FROM loans WHERE id `+t.dialect.Among(`$1`)+`
		ON CONFLICT (loan_id) DO UPDATE SET renewals = excluded.renewals`, t.dialect.List(loans))
	return w.err
}

// AddHook finds a hook, or adds it at the end of the events.
func (t *tx) AddHook(ctx context.Context, key string, now time.Time) (h hook.Hook, isNew bool, err error) {
	t.changes.past = true
	h, err = engine.ReadOne(ctx, t.sql, "read web hook", scanHook, `SELECT `+hookColumns+` FROM webhooks WHERE hook = $1`+t.dialect.ForUpdate, key)
	if errors.Is(err, sql.ErrNoRows) {
		isNew = true
		_, err = t.sql.ExecContext(ctx, `INSERT INTO webhooks (hook, position, used_at) SELECT $1, coalesce(max(seq), 0), $2 FROM webhook_events
			WHERE 1 = 1 ON CONFLICT DO NOTHING`, key, now.UnixMicro())
	} else if err == nil {
		_, err = t.sql.ExecContext(ctx, `UPDATE webhooks SET is_off = (1 = 0), next_at = NULL, used_at = $2 WHERE hook = $1`, key, now.UnixMicro())
	}
	if err != nil {
		return h, false, t.dialect.Error(ctx, "add web hook", err)
	}
	h, err = engine.ReadOne(ctx, t.sql, "read web hook", scanHook, `SELECT `+hookColumns+` FROM webhooks WHERE hook = $1`, key)
	return h, isNew, err
}

// SaveHook saves how far a hook has come.
func (t *tx) SaveHook(ctx context.Context, h hook.Hook, from int64, now time.Time) error {
	w := t.hooks(ctx)
	w.expect("save web hook", hook.ErrMoved, `UPDATE webhooks SET position = $3, attempts = $4, failing_since = $5, next_at = $6, is_off = $7, used_at = $8
		WHERE hook = $1 AND position = $2`,
		h.Key, from, h.Position, h.Attempts, microOrNull(h.Failing), microOrNull(h.Next), h.Off, now.UnixMicro())
	return w.err
}

// TrimHooks drops what nobody needs.
func (t *tx) TrimHooks(ctx context.Context, keys []string, now, unused time.Time) error {
	w := t.hooks(ctx)
	w.exec("keep web hooks", `UPDATE webhooks SET used_at = $1 WHERE hook `+t.dialect.Among(`$2`), now.UnixMicro(), t.dialect.List(keys))
	w.exec("drop web hooks", `DELETE FROM webhooks WHERE used_at < $1`, unused.UnixMicro())
	w.exec("drop events", `DELETE FROM webhook_events WHERE seq <= (SELECT min(position) FROM webhooks)`)
	w.exec("drop overdue loans", `DELETE FROM webhook_overdue WHERE NOT EXISTS (
		SELECT 1 FROM loans l WHERE l.id = loan_id AND l.returned_at IS NULL AND l.renewals = webhook_overdue.renewals)`)
	return w.err
}
