package booksearch

import (
	"context"
	"fmt"
	"strconv"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// CountBooks counts the matches, regardless of q.Limit and q.After. It counts matches of words up to one more than the
// limit. The count is cached until it may have changed: every page of a list needs it.
func (c *Catalogue) CountBooks(ctx context.Context, q library.BookQuery) (int, error) {
	q.Limit, q.After = 0, nil // a place in an order by year is also a condition
	var subjects []string
	if library.LendingChanges(q) {
		subjects = []string{revcache.Anything}
	}
	most := 0
	if len(q.Terms) > 0 {
		most = c.Limits.Counted + 1
	}
	text, a := countBooks(c.dialect, newQuery(q), most)
	n, err := c.counts.Cached(ctx, text, a, subjects...)
	if most > 0 {
		n = min(n, most)
	}
	return n, err
}

// countBooks returns the statement for counting up to most, or all if most is 0.
func countBooks(d *engine.Dialect, q bookQuery, most int) (string, engine.Arguments) {
	var a engine.Arguments
	return countText(d, &a, q, most), a
}

// countText counts rare states of the stock. Looking at the stock of each book would take long, but
// most books are available, so it subtracts the others from the number of all books.
func countText(d *engine.Dialect, a *engine.Arguments, q bookQuery, most int) string {
	yes, no := true, false
	all, rare := q, q
	switch {
	case q.Borrowed != nil && !*q.Borrowed:
		all.Borrowed, rare.Borrowed = nil, &yes
	case q.Available != nil && *q.Available:
		all.Available, rare.Available = nil, &no
	default:
		return countSelected(d, a, q, most)
	}
	return `SELECT (` + countText(d, a, all, 0) + `) - (` + countText(d, a, rare, 0) + `)`
}

func countSelected(d *engine.Dialect, a *engine.Arguments, q bookQuery, most int) string {
	bound := ""
	if most > 0 {
		bound = ` LIMIT ` + strconv.Itoa(most)
	}
	if with, matching, ok := matchingBooks(d, a, q); ok {
		return with + `SELECT count(*) FROM (` + matching + bound + `) AS matching`
	}
	if onlySearches(q.BookQuery) { // the stock is rare, so skip the books
		stock := stockConditions(q)
		if searches(q) {
			stock = append(stock, `s.seq IN (`+d.FindBooks(a, q.words())+`)`)
		}
		return engine.Selection{From: `stock s`, Where: stock}.Text(`count(*)`, "")
	}
	sel := selectBooks(d, a, q)
	with := sel.With
	sel.With = ""
	return with + `SELECT count(*) FROM (` + sel.Text(`1`, bound) + `) AS matching`
}

// matchingBooks selects the seq of the matches of a query without a condition on the stock. It reports
// false for other queries.
func matchingBooks(d *engine.Dialect, a *engine.Arguments, q bookQuery) (with, text string, ok bool) {
	if stockConditions(q) != nil || q.IDStart != "" || q.BorrowedBy != "" || q.IDs != nil {
		return "", "", false
	}
	sel := engine.Selection{From: `books b`}
	switch {
	case searches(q) && onlySearches(q.BookQuery):
		return "", d.FindBooks(a, q.words()), true
	case searches(q):
		sel = selectFound(d, a, q)
	}
	filter(&sel, a, q)
	with, sel.With = sel.With, ""
	return with, sel.Text(`b.seq`, ""), true
}

// onlySearches reports whether words are the only condition of a query, apart from the stock.
func onlySearches(q library.BookQuery) bool {
	return q.ISBN == "" && q.IDStart == "" && q.BorrowedBy == "" && q.IDs == nil && !hasFieldFilter(q)
}

// Counts caches the lengths of lists, of books and of all other records in package sqlstore.
type Counts struct {
	db    engine.Engine
	known revcache.Cache[string, int]
}

// NewCounts returns the counts of a database.
func NewCounts(db engine.Engine) *Counts { return &Counts{db: db} }

// maxCountKey limits the keys of cached counts, in bytes. Longer queries are hardly ever repeated.
const maxCountKey = 2048

// Cached returns a cached count, or asks the database. The count is valid until one of the subjects, or everything,
// changes.
func (c *Counts) Cached(ctx context.Context, text string, a engine.Arguments, subjects ...string) (int, error) {
	at, err := c.db.Revision(ctx)
	if err != nil {
		return 0, err
	}
	key := countKey(text, a)
	if n, ok := c.known.Get(at, key); ok {
		return n, nil
	}
	n, err := c.Anew(ctx, text, a)
	if err == nil && len(key) <= maxCountKey {
		c.known.Put(at, key, n, 1, subjects...)
	}
	return n, err
}

// Anew asks the database to count.
func (c *Counts) Anew(ctx context.Context, text string, a engine.Arguments) (int, error) {
	return engine.ReadOne(ctx, c.db, "count", engine.ScanNumber, text, c.db.Dialect().PlannedFor(a)...)
}

func countKey(text string, a engine.Arguments) string {
	for _, value := range a {
		text += "\x00" + fmt.Sprint(value)
	}
	return text
}
