package sqlstore

import (
	"context"

	"example.org/library/sqlstore/engine"
)

// maxRepeatedTitles is how many titles with several books are known, those with the most books.
const (
	maxRepeatedTitles = 50_000
	repeatedAtOnce    = 5_000 // in a transaction
)

// saveRepeatedTitles finds the titles that several books have. They are of no use before
// the division is saved whose name they have, so they are saved before it, a few at a time.
func (s *Store) saveRepeatedTitles(ctx context.Context, made string) error {
	rows, err := engine.Collect(ctx, s.db, "find repeated titles", func(r engine.Row) ([]any, error) {
		var key string
		var books int
		err := r.Scan(&key, &books)
		return []any{made, key, books}, err
	}, `SELECT title_key, count(*) FROM books WHERE title_key <> '' GROUP BY title_key HAVING count(*) > 1 ORDER BY count(*) DESC, title_key LIMIT $1`, maxRepeatedTitles)
	if err != nil {
		return err
	}
	rows = append(rows, []any{made, "", 0}) // so that it is known that there are no others
	for len(rows) > 0 {
		some := rows[:min(len(rows), repeatedAtOnce)]
		rows = rows[len(some):]
		err := s.inTx(ctx, func(t *tx) error {
			t.changes.past = true
			w := writer{ctx: ctx, tx: t.sql}
			w.insert("save repeated titles", `repeated_titles (made, title_key, books)`, []string{"text", "text", "int"}, some)
			return w.err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropRepeatedTitles drops those of other divisions.
func (s *Store) dropRepeatedTitles(ctx context.Context, made string) error {
	for {
		n := 0
		err := s.inTx(ctx, func(t *tx) error {
			t.changes.past = true
			result, err := t.sql.ExecContext(ctx, `DELETE FROM repeated_titles WHERE (made, title_key) IN (
				SELECT made, title_key FROM repeated_titles WHERE made <> $1 LIMIT $2)`, made, repeatedAtOnce)
			if err != nil {
				return s.dialect.Error(ctx, "drop repeated titles", err)
			}
			deleted, err := result.RowsAffected()
			n = int(deleted)
			return err
		})
		if err != nil || n < repeatedAtOnce {
			return err
		}
	}
}
