package sqlstore

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
)

// saveDivision puts a division in the place of the one before.
func (s *Store) saveDivision(ctx context.Context, d *dividing) error {
	ranges, err := json.Marshal(d.ranges)
	if err != nil {
		return err
	}
	return s.inTx(ctx, func(t *tx) error {
		t.changes.past = true
		w := writer{ctx: ctx, tx: t.sql}
		w.exec("drop the ranges of titles", `DELETE FROM title_ranges`)
		w.exec("drop the ranges of titles", `DELETE FROM range_words`)
		w.exec("save the ranges of titles", `INSERT INTO title_ranges (made, edits, ranges) VALUES ($1, $2, $3)`, d.made, d.edits, string(ranges))
		if w.err != nil {
			return w.err
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
func (d *dividing) saveWords(ctx context.Context, t *tx, words []string) error {
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
	source, args := t.dialect.Values([]string{"text", "int", "bytea", "bytea", "text"}, rows)
	_, err := t.sql.ExecContext(ctx, `INSERT INTO range_words (word, books, ranges, classes, facets) `+source, args...)
	return t.dialect.Error(ctx, "save the ranges of words", err)
}

// vacuum makes tables small again. After an import, edited_titles was as large as the import, and every search goes
// through all of it: what is edited next may be at its end. PostgreSQL does this by itself, but later, so it
// does not matter if it cannot be done now.
func (s *Store) vacuum(ctx context.Context, tables ...string) {
	if s.dialect.Vacuum != nil {
		_, _ = s.db.Direct().ExecContext(ctx, s.dialect.Vacuum(tables...))
	}
}

// deleteEditedTitles forgets titles that are in the ranges.
func (s *Store) deleteEditedTitles(ctx context.Context, upTo string) error {
	for {
		n := 0
		err := s.inTx(ctx, func(t *tx) error {
			t.changes.past = true
			result, err := t.sql.ExecContext(ctx, `DELETE FROM edited_titles WHERE at IN (
				SELECT at FROM edited_titles WHERE `+s.dialect.TitlesUpTo+` LIMIT $2)`, upTo, deleteTitles)
			if err != nil {
				return s.dialect.Error(ctx, "forget edited titles", err)
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
