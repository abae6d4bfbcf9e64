package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// A hold h is read with the barcode of the copy c that is set aside for it, the
// holder u, and its place in the queue.
const (
	position = `CASE WHEN h.state = 'waiting' THEN (SELECT count(*) FROM holds w
		WHERE w.book_id = h.book_id AND w.state = 'waiting' AND w.ended_at IS NULL AND w.seq <= h.seq) ELSE 0 END`
	holdColumns = holdOnlyColumns + `, ` + position
	// holdOnlyColumns are without the place, for whole queues.
	holdOnlyColumns = `h.id, h.book_id, h.book_title, h.book_authors, h.copy_id, c.barcode,
		u.id, u.first_name, u.last_name, u.group_name, u.version, h.state, h.seq, h.until_at, h.fetched_at, h.created_at, h.ended_at`
	holdsWithPeople = `holds h LEFT JOIN copies c ON c.id = h.copy_id LEFT JOIN users u ON u.id = h.user_id`

	queueOfBook = `SELECT ` + holdOnlyColumns + `, 0 FROM ` + holdsWithPeople + `
		WHERE h.book_id = $1 AND h.ended_at IS NULL AND h.state = 'waiting' ORDER BY h.seq`
)

var (
	holdsByPlace = engine.Ordering{Columns: []string{`h.book_id`, `h.seq`}}
	holdsByEnd   = engine.Ordering{Columns: []string{`h.ended_at`, `h.id`}, Descending: true}
)

// Hold returns one hold.
func (s *Store) Hold(ctx context.Context, id string) (library.Hold, error) {
	h, err := engine.ReadOne(ctx, s.db, "read hold", scanHold, `SELECT `+holdColumns+` FROM `+holdsWithPeople+` WHERE h.id = $1`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return library.Hold{}, library.ErrHoldNotFound
	}
	return h, err
}

// Holds returns up to q.Limit holds after q.After.
func (s *Store) Holds(ctx context.Context, q library.HoldQuery) ([]library.Hold, error) {
	if q.UserID == "" && q.Filter != library.ReadyHolds && q.Filter != library.EndedHolds {
		return s.queues(ctx, q)
	}
	var a engine.Arguments
	sel := engine.Selection{From: holdsWithPeople, Where: holdConditions(&a, q)}
	order, after := holdsByPlace, []any(nil)
	if q.Filter == library.EndedHolds {
		order = holdsByEnd
	}
	if c := q.After; c != nil {
		after = []any{c.BookID, c.Seq}
		if q.Filter == library.EndedHolds {
			after = []any{c.Created.UnixMicro(), c.ID}
		}
	}
	tail := order.Page(&a, &sel, after, q.Limit)
	return engine.Collect(ctx, s.db, "list holds", scanHold, sel.Text(holdColumns, tail), s.dialect.PlannedFor(a)...)
}

// CountHolds counts the matching holds, whatever q.Limit and q.After.
func (s *Store) CountHolds(ctx context.Context, q library.HoldQuery) (int, error) {
	var a engine.Arguments
	sel := engine.Selection{From: `holds h`, Where: holdConditions(&a, q)}
	return s.counts.Cached(ctx, sel.Text(`count(*)`, ""), a, revcache.Anything)
}

func holdConditions(a *engine.Arguments, q library.HoldQuery) []string {
	where := []string{`h.ended_at IS NULL`}
	switch q.Filter {
	case library.EndedHolds:
		where[0] = `h.ended_at IS NOT NULL`
	case library.ReadyHolds:
		where = append(where, `h.copy_id IS NOT NULL`)
	}
	return append(where, ofUserAndBook(a, `h`, q.UserID, q.BookID)...)
}

func scanHold(record engine.Row) (library.Hold, error) {
	var (
		h               library.Hold
		book            refRow
		copyID, barcode sql.NullString
		holder          personRow
		created         int64
		until, fetched  sql.NullInt64
		ended           sql.NullInt64
	)
	dest := append([]any{&h.ID}, book.dest()...)
	dest = append(append(dest, &copyID, &barcode), holder.dest()...)
	if err := record.Scan(append(dest, &h.State, &h.Seq, &until, &fetched, &created, &ended, &h.Position)...); err != nil {
		return library.Hold{}, err
	}
	h.CopyID, h.Barcode, h.Holder = copyID.String, barcode.String, holder.person()
	h.Until, h.Fetched, h.Created, h.Ended = engine.FromNullMicro(until), engine.FromNullMicro(fetched), engine.FromMicro(created), engine.FromNullMicro(ended)
	var err error
	h.Book, err = book.ref()
	return h, err
}

func (w *writer) placeHold(h library.Hold) {
	w.exec("place hold", `
		INSERT INTO holds (id, book_id, book_title, book_authors, user_id, state, copy_id, until_at, created_at, ended_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		h.ID, h.Book.ID, h.Book.Title, engine.FormatList(h.Book.Authors), h.Holder.ID, string(h.State),
		engine.TextOrNull(h.CopyID), engine.MicroOrNull(h.Until), h.Created.UnixMicro(), engine.MicroOrNull(h.Ended))
}

// moveHold changes an active hold.
func (w *writer) moveHold(h library.Hold) {
	w.expect("move hold", library.ErrNotActive, `
		UPDATE holds SET state = $2, copy_id = $3, until_at = $4, ended_at = $5, user_id = $6, fetched_at = $7
		WHERE id = $1 AND ended_at IS NULL`,
		h.ID, string(h.State), engine.TextOrNull(h.CopyID), engine.MicroOrNull(h.Until), engine.MicroOrNull(h.Ended), engine.TextOrNull(h.Holder.ID), engine.MicroOrNull(h.Fetched))
}

// HeldBooks returns the books of the user's active holds.
func (t *tx) HeldBooks(ctx context.Context, userID string) ([]string, error) {
	return engine.Collect(ctx, t.sql, "look for holds", engine.ScanText,
		`SELECT book_id FROM holds WHERE user_id = $1 AND ended_at IS NULL ORDER BY book_id`, userID)
}
