package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// The history of a trial. A ready hold is over when its time is.
const (
	pastLoans = `SELECT l.id, coalesce(u.id, ''), coalesce(u.category, ''), coalesce(b.kind, ''), l.borrowed_at, l.returned_at, l.renewals, l.due_given
		FROM loans l LEFT JOIN users u ON u.id = l.user_id LEFT JOIN books b ON b.id = l.book_id
		WHERE l.borrowed_at >= $1 OR l.returned_at IS NULL OR l.returned_at > $1 ORDER BY l.borrowed_at, l.id`
	pastHolds = `SELECT coalesce(u.id, ''), coalesce(u.category, ''), coalesce(b.kind, ''), h.created_at, coalesce(h.ended_at, h.until_at + 1)
		FROM holds h LEFT JOIN users u ON u.id = h.user_id LEFT JOIN books b ON b.id = h.book_id
		WHERE h.created_at >= $1 OR h.ended_at IS NULL OR h.ended_at > $1 ORDER BY h.created_at, h.id`
)

// PastLoans reads loans since an instant.
func (s *Store) PastLoans(ctx context.Context, since time.Time, begin func() func(library.PastLoan)) error {
	return readPast(ctx, s, "read past loans", pastLoans, since, scanPastLoan, begin)
}

// PastHolds reads holds since an instant.
func (s *Store) PastHolds(ctx context.Context, since time.Time, begin func() func(library.PastHold)) error {
	return readPast(ctx, s, "read past holds", pastHolds, since, scanPastHold, begin)
}

func readPast[T any](ctx context.Context, s *Store, doing, text string, since time.Time, scan func(engine.Row) (T, error), begin func() func(T)) error {
	args := s.dialect.PlannedFor(engine.Arguments{since.UnixMicro()})
	return s.db.Read(ctx, engine.Reading{Doing: doing, Text: text, Args: args, Scan: func(rows engine.Records) error {
		visit := begin()
		return engine.Each(func(r engine.Row) error {
			record, err := scan(r)
			if err == nil {
				visit(record)
			}
			return err
		})(rows)
	}})
}

func scanPastLoan(r engine.Row) (l library.PastLoan, err error) {
	var since int64
	var returned sql.NullInt64
	err = r.Scan(&l.ID, &l.User, &l.Category, &l.Kind, &since, &returned, &l.Renewals, &l.DueGiven)
	l.Since, l.Returned = engine.FromMicro(since), engine.FromNullMicro(returned)
	return l, err
}

func scanPastHold(r engine.Row) (h library.PastHold, err error) {
	var created int64
	var ended sql.NullInt64
	err = r.Scan(&h.User, &h.Category, &h.Kind, &created, &ended)
	h.Created, h.Ended = engine.FromMicro(created), engine.FromNullMicro(ended)
	return h, err
}
