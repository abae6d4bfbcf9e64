package finding

import (
	"context"

	"example.org/library"
	"example.org/library/finding"
	"example.org/library/sqlstore/engine"
)

// Facets counts what the books of a query are about. Of very many, only some are looked at,
// unless they are known.
func (c *Catalogue) Facets(ctx context.Context, q library.BookQuery) (finding.Facets, error) {
	return c.facetsOf(ctx, q, finding.MaxFacetBooks)
}

// facetsOf looks at no more than most books.
func (c *Catalogue) facetsOf(ctx context.Context, asked library.BookQuery, most int) (finding.Facets, error) {
	asked.Limit, asked.After, asked.Order = 0, nil, library.ByTitle
	q := c.plan(ctx, asked)
	if facets, ok, err := c.knownFacets(ctx, q, most); ok || err != nil {
		return facets, err
	}
	total, err := c.CountBooks(ctx, asked)
	if err != nil {
		return finding.Facets{}, err
	}
	tally, err := c.tallyFacets(ctx, q, most)
	if err != nil {
		return finding.Facets{}, err
	}
	if tally.Books < most {
		total = tally.Books // which were edited since they were counted
	}
	return tally.Facets(total), nil
}

// tallyFacets counts what the books of a query are about.
func (c *Catalogue) tallyFacets(ctx context.Context, q bookQuery, most int) (tally *finding.FacetTally, err error) {
	var a engine.Arguments
	text := facetsText(c.dialect, &a, q, most)
	err = c.db.Read(ctx, engine.Reading{Doing: "count facets", Text: text, Args: c.dialect.PlannedFor(a), Scan: func(rows engine.Records) error {
		tally = finding.NewFacetTally() // the statement may be run again
		return engine.Each(func(r engine.Row) error {
			var isAvailable bool
			about, err := scanFacets(r, &isAvailable)
			if tally.Add(about); !isAvailable {
				tally.Unavailable++
			}
			return err
		})(rows)
	}})
	return tally, err
}

// FacetColumns are what facets are counted of, of a book b.
const FacetColumns = `b.language, b.published, b.subjects`

// scanFacets reads the FacetColumns of a row, and before them what else a statement reads.
func scanFacets(r engine.Row, before ...any) (about finding.FacetBook, err error) {
	var subjects []byte
	if err := r.Scan(append(before, &about.Language, &about.Published, &subjects)...); err != nil {
		return about, err
	}
	about.Subjects, err = engine.ParseList[string](subjects)
	return about, err
}

// facetsText reads what facets are counted of. Where words are all that is asked for, the search
// index is not asked for more books than are looked at.
func facetsText(d *engine.Dialect, a *engine.Arguments, q bookQuery, most int) string {
	const columns = `s.available > 0, ` + FacetColumns
	if onlySearches(q.BookQuery) && searches(q) && stockConditions(q) == nil {
		return `WITH found AS MATERIALIZED (` + d.FindBooks(a, q.words()) + ` LIMIT ` + a.Add(most) + `)
			SELECT ` + columns + ` FROM found f` + d.Each(`books`, `b`, `b.seq = f.seq`) + d.Each(`stock`, `s`, stockOfBook)
	}
	sel := selectBooks(d, a, q)
	return sel.Text(columns, ` LIMIT `+a.Add(most))
}
