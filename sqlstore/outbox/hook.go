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

const (
	readingPlace = "read place of web hooks"
	movingPlace  = "move place of web hooks"
	hookPlace    = `SELECT major, seq, mark FROM webhook_feed`
)

func scanPlace(r engine.Row) (p library.Position, err error) {
	err = r.Scan(&p.TxID, &p.Seq, &p.Nonce)
	return p, err
}

// HookPlace is up to where the changes were read.
func (s *Store) HookPlace(ctx context.Context) (library.Position, error) {
	p, err := engine.ReadOne(ctx, s.db, readingPlace, scanPlace, hookPlace)
	if errors.Is(err, sql.ErrNoRows) {
		err = library.ErrPositionLost
	}
	return p, err
}

// HookRecords returns the records of events about loans, holds and books.
func (s *Store) HookRecords(ctx context.Context, loans, holds, books []string) (map[string]webhook.Record, error) {
	found := make(map[string]webhook.Record, len(loans)+len(holds)+len(books))
	for _, each := range []struct {
		ids  []string
		text string
	}{
		{loans, `SELECT id, coalesce(book_id, ''), book_title, borrowed_at, returned_at FROM loans WHERE id `},
		{holds, `SELECT id, coalesce(book_id, ''), book_title, created_at, ended_at FROM holds WHERE id `},
		{books, `SELECT book_id, book_id, title, 0, NULL FROM deleted_titles WHERE book_id `},
		{books, `SELECT id, id, title, created_at, NULL FROM books WHERE id `},
	} {
		if len(each.ids) == 0 {
			continue
		}
		err := s.db.Read(ctx, engine.Reading{Doing: "read records for web hooks", Text: each.text + s.db.Dialect().Among(`$1`), Args: []any{s.db.Dialect().List(each.ids)},
			Scan: engine.Each(func(r engine.Row) error {
				var id string
				var record webhook.Record
				var began, ended sql.NullInt64
				err := r.Scan(&id, &record.BookID, &record.BookTitle, &began, &ended)
				record.Began, record.Ended = engine.FromNullMicro(began), engine.FromNullMicro(ended)
				found[id] = record
				return err
			})})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// HookEvents returns the untold events after a number.
func (s *Store) HookEvents(ctx context.Context, after int64, most int) ([]webhook.Event, error) {
	return engine.Collect(ctx, s.db, "read events for web hooks", func(r engine.Row) (e webhook.Event, err error) {
		var at, collected int64
		err = r.Scan(&e.Seq, &e.ID, &e.Type, &e.BookID, &e.BookTitle, &e.Record, &at, &collected)
		e.At, e.Collected = engine.FromMicro(at), engine.FromMicro(collected)
		return e, err
	}, `SELECT seq, `+hookEventColumns+` FROM webhook_events WHERE seq > $1 ORDER BY seq LIMIT $2`, after, most)
}

const hookEventColumns = `id, type, book_id, book_title, record, happened_at, collected_at`

var hookEventTypes = []string{"text", "text", "text", "text", "text", "bigint", "bigint"}

// HookPerson returns the person of the loan or hold.
func (s *Store) HookPerson(ctx context.Context, record string) (library.Person, error) {
	p, err := engine.ReadOne(ctx, s.db, "read person for web hooks", func(r engine.Row) (p library.Person, err error) {
		err = r.Scan(&p.ID, &p.FirstName, &p.LastName, &p.Group, &p.Version)
		return p, err
	}, `SELECT u.id, u.first_name, u.last_name, u.group_name, u.version FROM users u
		WHERE u.id = coalesce((SELECT user_id FROM loans WHERE id = $1), (SELECT user_id FROM holds WHERE id = $1))`, record)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return p, err
}

const hookColumns = `hook, position, attempts, failing_since, next_at, is_off`

func scanHook(r engine.Row) (h webhook.Hook, err error) {
	var failing, next sql.NullInt64
	err = r.Scan(&h.Key, &h.Position, &h.Attempts, &failing, &next, &h.Off)
	h.Failing, h.Next = engine.FromNullMicro(failing), engine.FromNullMicro(next)
	return h, err
}

// Hooks returns the hooks used since an instant.
func (s *Store) Hooks(ctx context.Context, since time.Time) ([]webhook.Hook, error) {
	return engine.Collect(ctx, s.db, "read web hooks", scanHook, `SELECT `+hookColumns+` FROM webhooks WHERE used_at >= $1 ORDER BY hook`, since.UnixMicro())
}
