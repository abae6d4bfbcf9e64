package sqlstore

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Alone runs fn unless another program is in Alone with the same lock.
func (s *Store) Alone(ctx context.Context, l library.Lock, fn func(context.Context) error) (bool, error) {
	release, err := s.db.TryLock(ctx, l)
	if release == nil || err != nil {
		return false, s.dialect.Error(ctx, "take a lock", err)
	}
	defer release()
	return true, fn(ctx)
}

// Unsettled returns books with due housekeeping.
func (s *Store) Unsettled(ctx context.Context, now time.Time, most int) ([]string, time.Time, error) {
	books, since, err := s.expired(ctx, now, most)
	if err != nil || len(books) == most {
		return books, since, err
	}
	// An older program takes books back and leaves the queue as it is.
	waiting, err := engine.Collect(ctx, s.db, "look for free copies", engine.ScanText, `
		SELECT b.id FROM stock s JOIN books b ON b.seq = s.seq
		WHERE s.waiting > 0 AND EXISTS (SELECT 1 FROM copies c WHERE c.book_id = b.id AND c.state = 'lendable'
			AND NOT EXISTS (SELECT 1 FROM loans l WHERE l.copy_id = c.id AND l.returned_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.copy_id = c.id))
		ORDER BY b.seq LIMIT $1`, most-len(books))
	seen := make(map[string]bool, len(books))
	for _, id := range books {
		seen[id] = true
	}
	for _, id := range waiting {
		if !seen[id] {
			books = append(books, id)
		}
	}
	return books, since, err
}

// expired returns the books with ready holds whose time is over.
func (s *Store) expired(ctx context.Context, now time.Time, most int) (books []string, since time.Time, err error) {
	type book struct {
		id    string
		until int64
	}
	found, err := engine.Collect(ctx, s.db, "look for expired holds", func(record engine.Row) (book, error) {
		var b book
		err := record.Scan(&b.id, &b.until)
		return b, err
	}, `SELECT book_id, min(until_at) FROM holds WHERE until_at IS NOT NULL AND until_at < $1
		GROUP BY book_id ORDER BY 2, 1 LIMIT $2`, now.UnixMicro(), most)
	for _, b := range found {
		books = append(books, b.id)
	}
	if len(found) > 0 {
		since = engine.FromMicro(found[0].until)
	}
	return books, since, err
}
