package finding

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
func (c *Catalogue) saveRepeatedTitles(ctx context.Context, made string) error {
	rows, err := engine.Collect(ctx, c.db, "find repeated titles", func(r engine.Row) ([]any, error) {
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
		err := c.unseen(ctx, func(t engine.Tx) error {
			return insert(ctx, t, "save repeated titles", `repeated_titles (made, title_key, books)`, []string{"text", "text", "int"}, some)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropRepeatedTitles drops those of other divisions.
func (c *Catalogue) dropRepeatedTitles(ctx context.Context, made string) error {
	for {
		n := 0
		err := c.unseen(ctx, func(t engine.Tx) error {
			result, err := t.ExecContext(ctx, `DELETE FROM repeated_titles WHERE (made, title_key) IN (
				SELECT made, title_key FROM repeated_titles WHERE made <> $1 LIMIT $2)`, made, repeatedAtOnce)
			if err != nil {
				return c.dialect.Error(ctx, "drop repeated titles", err)
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
