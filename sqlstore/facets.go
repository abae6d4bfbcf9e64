package sqlstore

import (
	"context"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Facets counts what the books of a query are about. Of very many, only some are looked at.
func (s *Store) Facets(ctx context.Context, q library.BookQuery) (library.Facets, error) {
	q.Limit, q.After, q.Order = 0, nil, library.ByTitle
	total, err := s.CountBooks(ctx, q)
	if err != nil {
		return library.Facets{}, err
	}
	var a engine.Arguments
	text := facetsText(s.dialect, &a, s.plan(ctx, q))
	var tally *library.FacetTally
	err = s.db.Read(ctx, engine.Reading{Doing: "count facets", Text: text, Args: s.plannedFor(a), Scan: func(rows engine.Records) error {
		tally = library.NewFacetTally() // the statement may be run again
		for rows.Next() {
			var language string
			var published int
			var list []byte
			var isAvailable bool
			if err := rows.Scan(&language, &published, &list, &isAvailable); err != nil {
				return err
			}
			subjects, err := parseList[string](list)
			if err != nil {
				return err
			}
			tally.Add(language, published, subjects, isAvailable)
		}
		return rows.Err()
	}})
	if err != nil {
		return library.Facets{}, err
	}
	if tally.Books < library.MaxFacetBooks {
		total = tally.Books // which were edited since they were counted
	}
	return tally.Facets(total), nil
}

// facetsText reads what facets are counted of. Where words are all that is asked for, the search
// index is not asked for more books than are looked at.
func facetsText(d *engine.Dialect, a *engine.Arguments, q bookQuery) string {
	const columns = `b.language, b.published, b.subjects, s.available > 0`
	if onlySearches(q.BookQuery) && searches(q) && stockConditions(q) == nil {
		return `WITH found AS MATERIALIZED (` + d.FindBooks(a, q.words()) + ` LIMIT ` + a.Add(library.MaxFacetBooks) + `)
			SELECT ` + columns + ` FROM found f` + d.Each(`books`, `b`, `b.seq = f.seq`) + d.Each(`stock`, `s`, stockOfBook)
	}
	sel := selectBooks(d, a, q)
	return sel.text(columns, ` LIMIT `+a.Add(library.MaxFacetBooks))
}
