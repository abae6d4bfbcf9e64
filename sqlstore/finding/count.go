package finding

import (
	"context"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// CountBooks counts the books that match, whatever q.Limit and q.After. The count is
// cached until it may have changed: to count is to look at every match, and every page
// of a list needs it. For the same reason it is then corrected by what was edited, if
// it can be.
func (c *Catalogue) CountBooks(ctx context.Context, q library.BookQuery) (int, error) {
	q.Limit, q.After = 0, nil // a place in an order by year is also a condition
	var subjects []string
	if library.LendingChanges(q) {
		subjects = []string{revcache.Anything}
	}
	known := &c.counts.people
	if q.Stranger {
		known = &c.counts.strangers
	}
	if !isOfCatalogue(q) {
		q := c.plan(ctx, q)
		text, a := countBooks(c.dialect, q)
		return c.counts.cached(ctx, known, countKey(text, a), subjects, func(ctx context.Context, _ count) (count, error) {
			if n, ok, err := c.countFiltered(ctx, q); ok || err != nil {
				return count{n: n}, err
			}
			n, err := c.counts.Anew(ctx, text, a)
			return count{n: n}, err
		})
	}
	// The key is the question without a plan, which is another one at another time.
	key := countKey(countBooks(c.dialect, bookQuery{BookQuery: q}))
	return c.counts.cached(ctx, known, key, subjects, func(ctx context.Context, last count) (count, error) {
		q := c.plan(ctx, q)
		if last.edits == "" {
			var err error
			if last, err = c.countedWord(ctx, q); err != nil {
				return last, err
			}
		}
		if last.edits != "" {
			if corrected, ok, err := c.correct(ctx, q, last); ok || err != nil {
				return corrected, err
			}
		}
		return c.countCatalogue(ctx, q)
	})
}

// countBooks is the statement that counts and does nothing else.
func countBooks(d *engine.Dialect, q bookQuery) (string, engine.Arguments) {
	var a engine.Arguments
	text := countText(d, &a, q, func() string { return `SELECT count(*) FROM ` + matchingBooks(d, &a, q) })
	return text, a
}

// isOfCatalogue reports whether a query is about all books that have some words,
// perhaps without the few that somebody has borrowed.
func isOfCatalogue(q library.BookQuery) bool {
	return onlySearches(q) && !isRare(bookQuery{BookQuery: q})
}

func onlySearches(q library.BookQuery) bool {
	return q.ISBN == "" && q.IDStart == "" && q.BorrowedBy == "" && q.IDs == nil && !hasFieldFilter(q)
}

// matchingBooks are the books that have the words, as a table.
func matchingBooks(d *engine.Dialect, a *engine.Arguments, q bookQuery) string {
	if !searches(q) {
		return `books`
	}
	return `(` + d.FindBooks(a, q.words()) + `) AS found`
}

// countText counts what is rare. To look at the stock of each book would take
// long, but most books are available: their number is that of all books without
// the others. It writes matching for the number of all books with the words; in a
// query that isOfCatalogue that is once.
func countText(d *engine.Dialect, a *engine.Arguments, q bookQuery, matching func() string) string {
	yes, no := true, false
	all, rare := q, q
	switch {
	case q.Borrowed != nil && !*q.Borrowed:
		all.Borrowed, rare.Borrowed = nil, &yes
	case q.Available != nil && *q.Available:
		all.Available, rare.Available = nil, &no
	default:
		return countSelected(d, a, q, matching)
	}
	return `SELECT (` + countText(d, a, all, matching) + `) - (` + countText(d, a, rare, matching) + `)`
}

func countSelected(d *engine.Dialect, a *engine.Arguments, q bookQuery, matching func() string) string {
	stock := stockConditions(q)
	switch {
	case stock == nil && hasFieldFilter(q.BookQuery) && q.IDStart == "" && q.BorrowedBy == "" && q.IDs == nil && !searches(q):
		sel := engine.Selection{From: `books b`} // whose stock makes no difference
		filter(&sel, a, q)
		return sel.Text(`count(*)`, "")
	case !onlySearches(q.BookQuery):
		sel := selectBooks(d, a, q)
		return sel.Text(`count(*)`, "")
	case stock == nil:
		return matching()
	case searches(q): // the stock is rare, the books need not be looked at
		stock = append(stock, `s.seq IN (`+d.FindBooks(a, q.words())+`)`)
	}
	return engine.Selection{From: `stock s`, Where: stock}.Text(`count(*)`, "")
}

// countCatalogue counts the books that match, and remembers which edits it has seen.
func (c *Catalogue) countCatalogue(ctx context.Context, q bookQuery) (count, error) {
	var a engine.Arguments
	// A statement of its own: together with the mark, PostgreSQL would not count in parallel.
	matching := `SELECT (SELECT count(*) FROM ` + matchingBooks(c.dialect, &a, q) + `) AS n, ` + c.dialect.EditMark + ` AS edits, true AS complete`
	counted, _, err := c.readCount(ctx, q, a, matching)
	return counted, err
}

// correct adds to a count what was edited since. It reports false if not all of
// that is known any more.
func (c *Catalogue) correct(ctx context.Context, q bookQuery, last count) (count, bool, error) {
	a := engine.Arguments{last.matching}
	isAfter, areComplete := c.dialect.EditsAfter(a.Add(last.edits))
	difference := `sum(e.delta)`
	words := engine.PrefixConditions(&a, "e.search_words", slices.Concat(q.Terms, q.common))
	if words = append(words, engine.PrefixConditions(&a, "e.author_words", q.Authors)...); len(words) > 0 {
		difference += ` FILTER (WHERE ` + strings.Join(words, ` AND `) + `)`
	}
	return c.readCount(ctx, q, a, `SELECT CAST($1 AS BIGINT) + coalesce(`+difference+`, 0) AS n, `+c.dialect.EditMark+` AS edits,
		count(*) FILTER (WHERE e.delta = 0) = 0 AND `+areComplete+` AS complete
		FROM book_edits e WHERE `+isAfter)
}

// readCount counts with a statement that finds the number of books with the words.
// All is one statement, so that it is about one state of the library.
func (c *Catalogue) readCount(ctx context.Context, q bookQuery, a engine.Arguments, matching string) (count, bool, error) {
	text := `WITH matching AS MATERIALIZED (` + matching + `)
		SELECT (` + countText(c.dialect, &a, q, func() string { return `SELECT n FROM matching` }) + `), n, edits, complete FROM matching`
	var complete bool
	counted, err := engine.ReadOne(ctx, c.db, "count", func(r engine.Row) (counted count, err error) {
		err = r.Scan(&counted.n, &counted.matching, &counted.edits, &complete)
		return counted, err
	}, text, c.dialect.PlannedFor(a)...)
	return counted, complete, err
}
