package booksearch

import (
	"context"

	"example.org/library"
	"example.org/library/search"
	"example.org/library/sqlstore/engine"
)

// Facets counts the facets of a query. Of many matches it counts a sample, spread evenly over all.
func (c *Catalogue) Facets(ctx context.Context, asked library.BookQuery) (search.Facets, error) {
	asked.Limit, asked.After, asked.Order = 0, nil, library.ByTitle
	q := newQuery(asked)
	if onlySearches(asked) && !searches(q) && stockConditions(q) == nil {
		return c.facetsOfAll(ctx)
	}
	var a engine.Arguments
	text := facetsText(c.dialect, &a, q, c.Limits.Faceted)
	matching := 0
	tally, err := c.tallyFacets(ctx, text, a, &matching)
	if err != nil {
		return search.Facets{}, err
	}
	if len(q.asked) > 0 {
		matching = min(matching, max(c.Limits.Counted, tally.Books))
	}
	return tally.Facets(matching), nil
}

// facetsOfAll counts the facets of all books, once until a book is edited. It counts the available
// books each time, because every loan changes their number.
func (c *Catalogue) facetsOfAll(ctx context.Context) (search.Facets, error) {
	at, err := c.db.Revision(ctx)
	if err != nil {
		return search.Facets{}, err
	}
	tally, ok := c.whole.Get(at, struct{}{})
	if !ok {
		if tally, err = c.tallyFacets(ctx, `SELECT 0, true, `+facetColumns+` FROM books b`, nil, new(int)); err != nil {
			return search.Facets{}, err
		}
		c.whole.Put(at, struct{}{}, tally, 1)
	}
	now := *tally
	now.Unavailable, err = engine.ReadOne(ctx, c.db, "count what is unavailable", engine.ScanNumber, `SELECT count(*) FROM stock WHERE available = 0`)
	now.Unavailable = min(now.Unavailable, now.Books) // books may have been deleted meanwhile
	return now.Facets(now.Books), err
}

// tallyFacets counts the rows of a statement: the number of matches, the availability of a book, and its facetColumns.
func (c *Catalogue) tallyFacets(ctx context.Context, text string, a engine.Arguments, matching *int) (tally *search.FacetTally, err error) {
	err = c.db.Read(ctx, engine.Reading{Doing: "count facets", Text: text, Args: c.dialect.PlannedFor(a), Scan: func(rows engine.Records) error {
		tally = search.NewFacetTally() // the statement may be run again
		return engine.Each(func(r engine.Row) error {
			var isAvailable bool
			about, err := scanFacets(r, matching, &isAvailable)
			if tally.Add(about); !isAvailable {
				tally.Unavailable++
			}
			return err
		})(rows)
	}})
	return tally, err
}

// facetColumns are the columns of a book b for facets.
const facetColumns = `b.language, b.kind, b.published, b.subjects`

// scanFacets reads the facetColumns of a row, after the statement's other columns.
func scanFacets(r engine.Row, before ...any) (about search.FacetBook, err error) {
	var subjects []byte
	if err := r.Scan(append(before, &about.Language, &about.Kind, &about.Published, &subjects)...); err != nil {
		return about, err
	}
	about.Subjects, err = engine.ParseList[string](subjects)
	return about, err
}

// facetsText reads the facetColumns of all matches, or of a sample. A multiplicative hash of their
// numbers chooses the sample, so it is spread evenly over any numbers.
func facetsText(d *engine.Dialect, a *engine.Arguments, q bookQuery, most int) string {
	with, matching, ok := matchingBooks(d, a, q)
	if !ok {
		sel := selectBooks(d, a, q)
		with, sel.With = sel.With, ""
		matching = sel.Text(`b.seq`, "")
	}
	if with == "" {
		with = `WITH `
	} else {
		with += `, `
	}
	looked := a.Add(most)
	return with + `matching AS MATERIALIZED (` + matching + `), total AS (SELECT count(*) AS n FROM matching)
		SELECT t.n, s.available > 0, ` + facetColumns + ` FROM total t CROSS JOIN matching m` + d.Each(`books`, `b`, `b.seq = m.seq`) + d.Each(`stock`, `s`, stockOfBook) + `
		WHERE t.n <= ` + looked + ` OR m.seq * 2654435769 % 4294967296 * t.n < ` + looked + ` * 4294967296`
}
