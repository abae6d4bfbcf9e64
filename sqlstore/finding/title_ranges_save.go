package finding

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"example.org/library/sqlstore/engine"
)

// saveDivision puts a division in the place of the one before.
func (c *Catalogue) saveDivision(ctx context.Context, d *dividing) error {
	ranges, err := json.Marshal(d.ranges)
	if err != nil {
		return err
	}
	return c.unseen(ctx, func(t engine.Tx) error {
		if err := write(ctx, t, "drop the ranges of titles", `DELETE FROM title_ranges`); err != nil {
			return err
		}
		if err := write(ctx, t, "drop the ranges of titles", `DELETE FROM range_words`); err != nil {
			return err
		}
		if err := write(ctx, t, "save the ranges of titles", `INSERT INTO title_ranges (made, edits, ranges) VALUES ($1, $2, $3)`, d.made, d.edits, string(ranges)); err != nil {
			return err
		}
		for words := range slices.Chunk(slices.Collect(maps.Keys(d.words)), rangesAtOnce) {
			if err := d.saveWords(ctx, t, words); err != nil {
				return err
			}
		}
		return nil
	})
}

// saveWords saves where some words are, at once and not with the end of the transaction: all of them together
// are many times as much text as the tallies that are kept.
func (d *dividing) saveWords(ctx context.Context, t engine.Tx, words []string) error {
	rows := make([][]any, len(words))
	for i, word := range words {
		tally, facets := d.words[word], ""
		if d.stale {
			tally.classes = []byte{}
		} else {
			facets = d.facets.format(tally)
		}
		rows[i] = []any{word, tally.books, tally.ranges, tally.classes, facets}
	}
	source, args := t.Dialect().Values([]string{"text", "int", "bytea", "bytea", "text"}, rows)
	_, err := t.ExecContext(ctx, `INSERT INTO range_words (word, books, ranges, classes, facets) `+source, args...)
	return t.Dialect().Error(ctx, "save the ranges of words", err)
}

// vacuum makes tables small again. After an import, edited_titles was as large as the import, and every search goes
// through all of it: what is edited next may be at its end. PostgreSQL does this by itself, but later, so it
// does not matter if it cannot be done now.
func (c *Catalogue) vacuum(ctx context.Context, tables ...string) {
	if c.dialect.Vacuum != nil {
		_, _ = c.db.Direct().ExecContext(ctx, c.dialect.Vacuum(tables...))
	}
}

// deleteEditedTitles forgets titles that are in the ranges.
func (c *Catalogue) deleteEditedTitles(ctx context.Context, upTo string) error {
	for {
		n := 0
		err := c.unseen(ctx, func(t engine.Tx) error {
			result, err := t.ExecContext(ctx, `DELETE FROM edited_titles WHERE at IN (
				SELECT at FROM edited_titles WHERE `+c.dialect.TitlesUpTo+` LIMIT $2)`, upTo, deleteTitles)
			if err != nil {
				return c.dialect.Error(ctx, "forget edited titles", err)
			}
			deleted, err := result.RowsAffected()
			n = int(deleted)
			return err
		})
		if err != nil || n < deleteTitles {
			return err
		}
	}
}
