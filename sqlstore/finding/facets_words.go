package finding

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"example.org/library/finding"
	"example.org/library/sqlstore/engine"
)

// The facets of a common word are counted when the titles are divided, and corrected by what was
// edited since, as counts are. What is available is looked up, because every loan changes it.

// knownFacets are the facets of the only word of a query. It reports false if they are not known,
// or if it takes less time to look at the books.
func (c *Catalogue) knownFacets(ctx context.Context, q bookQuery, most int) (finding.Facets, bool, error) {
	if hasFieldFilter(q.BookQuery) || stockConditions(q) != nil {
		return finding.Facets{}, false, nil
	}
	tally, err := c.knownTally(ctx, q)
	if err != nil || tally == nil || !tally.IsCertain() {
		return finding.Facets{}, false, err
	}
	unavailable, ok, err := c.countUnavailable(ctx, q, min(tally.Books, most))
	tally.Unavailable = min(unavailable, tally.Books)
	return tally.Facets(tally.Books), ok, err
}

// countFiltered counts what a filter leaves of the books with the only word of a query. It reports
// false if that is not known.
func (c *Catalogue) countFiltered(ctx context.Context, q bookQuery) (n int, ok bool, err error) {
	if !hasFieldFilter(q.BookQuery) || stockConditions(q) != nil {
		return 0, false, nil
	}
	tally, err := c.knownTally(ctx, q)
	if err != nil || tally == nil {
		return 0, false, err
	}
	n, ok = tally.CountFiltered(q.BookQuery)
	return n, ok, nil
}

// knownTally is what all books with the only word of a query are about; nil if that is not known.
// Filters make no difference to it.
func (c *Catalogue) knownTally(ctx context.Context, q bookQuery) (*finding.FacetTally, error) {
	words, ok := filteredWords(q)
	if !ok || len(words) != 1 {
		return nil, nil
	}
	kept, err := engine.ReadOne(ctx, c.db, "read facets", func(r engine.Row) (kept [2]string, err error) {
		err = r.Scan(&kept[0], &kept[1])
		return kept, err
	}, `SELECT w.facets, t.edits FROM range_words w CROSS JOIN title_ranges t WHERE w.word = $1 AND w.facets <> ''`, words[0])
	text, edits := kept[0], kept[1]
	if errors.Is(err, sql.ErrNoRows) || err == nil && edits == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var counts finding.FacetCounts
	if err := json.Unmarshal([]byte(text), &counts); err != nil {
		return nil, err
	}
	return c.correctFacets(ctx, q, counts, edits)
}

// correctFacets adds to counts what was edited since; nil if not all of that is known any more.
func (c *Catalogue) correctFacets(ctx context.Context, q bookQuery, counts finding.FacetCounts, since string) (tally *finding.FacetTally, err error) {
	var a engine.Arguments
	isAfter, areComplete := c.dialect.EditsAfter(a.Add(since))
	words := strings.Join(engine.PrefixConditions(&a, "e.search_words", slices.Concat(q.Terms, q.common)), ` AND `)
	isComplete := false
	err = c.db.Read(ctx, engine.Reading{Doing: "correct facets", Text: `SELECT ` + areComplete + `, 0, ''
		UNION ALL SELECT e.delta <> 0 AND e.facets <> '', e.delta, e.facets FROM book_edits e WHERE ` + isAfter + ` AND (e.delta = 0 OR ` + words + `)`,
		Args: c.dialect.PlannedFor(a), Scan: func(rows engine.Records) error {
			tally, isComplete = finding.FacetTallyOf(counts), true // the statement may be run again
			return engine.Each(func(r engine.Row) error {
				var isKnown bool
				var delta int
				var text string
				err := r.Scan(&isKnown, &delta, &text)
				isComplete = isComplete && isKnown
				if err != nil || !isKnown || delta == 0 {
					return err
				}
				var about finding.FacetBook
				if err := json.Unmarshal([]byte(text), &about); err != nil {
					return err
				}
				if delta > 0 {
					tally.Add(about)
				} else {
					tally.Remove(about)
				}
				return nil
			})(rows)
		}})
	if err != nil || !isComplete {
		return nil, err
	}
	return tally, nil
}

// countUnavailable counts the books that have the words and cannot be borrowed. It reports false
// if more than most books would have to be looked at.
func (c *Catalogue) countUnavailable(ctx context.Context, q bookQuery, most int) (n int, ok bool, err error) {
	var a engine.Arguments
	text := `WITH lacking AS MATERIALIZED (SELECT seq FROM stock WHERE available = 0 LIMIT ` + a.Add(most+1) + `)
		SELECT (SELECT count(*) FROM lacking), (SELECT count(*) FROM lacking i` + c.dialect.Each(`books`, `b`, `b.seq = i.seq`) +
		` WHERE ` + strings.Join(engine.PrefixConditions(&a, "b.search_words", slices.Concat(q.Terms, q.common)), ` AND `) + `)`
	counts, err := engine.ReadOne(ctx, c.db, "count what is unavailable", func(r engine.Row) (counts [2]int, err error) {
		err = r.Scan(&counts[0], &counts[1])
		return counts, err
	}, text, c.dialect.PlannedFor(a)...)
	return counts[1], counts[0] <= most, err
}
