package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// count is how many records match, as it is cached. One of books can be corrected
// when the catalogue was edited.
type count struct {
	n        int
	matching int    // books with the words, whether they can be borrowed or not
	edits    string // which edits are in it, see dialect.EditMark; "" if it cannot be corrected
}

// CountBooks counts the books that match, whatever q.Limit and q.After. The count is
// cached until it may have changed: to count is to look at every match, and every page
// of a list needs it. For the same reason it is then corrected by what was edited, if
// it can be.
func (s *Store) CountBooks(ctx context.Context, q library.BookQuery) (int, error) {
	q.Limit, q.After = 0, nil // a place in an order by year is also a condition
	var subjects []string
	if library.LendingChanges(q) {
		subjects = []string{revcache.Anything}
	}
	counts := &s.counts
	if q.Stranger {
		counts = &s.strangerCounts
	}
	if !isOfCatalogue(q) {
		q := s.plan(ctx, q)
		text, a := countBooks(s.dialect, q)
		return s.cachedCount(ctx, counts, countKey(text, a), subjects, func(ctx context.Context, _ count) (count, error) {
			if n, ok, err := s.countFiltered(ctx, q); ok || err != nil {
				return count{n: n}, err
			}
			n, err := s.countAnew(ctx, text, a)
			return count{n: n}, err
		})
	}
	// The key is the question without a plan, which is another one at another time.
	key := countKey(countBooks(s.dialect, bookQuery{BookQuery: q}))
	return s.cachedCount(ctx, counts, key, subjects, func(ctx context.Context, last count) (count, error) {
		q := s.plan(ctx, q)
		if last.edits == "" {
			var err error
			if last, err = s.countedWord(ctx, q); err != nil {
				return last, err
			}
		}
		if last.edits != "" {
			if corrected, ok, err := s.correct(ctx, q, last); ok || err != nil {
				return corrected, err
			}
		}
		return s.countCatalogue(ctx, q)
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
func (s *Store) countCatalogue(ctx context.Context, q bookQuery) (count, error) {
	var a engine.Arguments
	// A statement of its own: together with the mark, PostgreSQL would not count in parallel.
	matching := `SELECT (SELECT count(*) FROM ` + matchingBooks(s.dialect, &a, q) + `) AS n, ` + s.dialect.EditMark + ` AS edits, true AS complete`
	counted, _, err := s.readCount(ctx, q, a, matching)
	return counted, err
}

// correct adds to a count what was edited since. It reports false if not all of
// that is known any more.
func (s *Store) correct(ctx context.Context, q bookQuery, last count) (count, bool, error) {
	a := engine.Arguments{last.matching}
	isAfter, areComplete := s.dialect.EditsAfter(a.Add(last.edits))
	difference := `sum(e.delta)`
	words := engine.PrefixConditions(&a, "e.search_words", slices.Concat(q.Terms, q.common))
	if words = append(words, engine.PrefixConditions(&a, "e.author_words", q.Authors)...); len(words) > 0 {
		difference += ` FILTER (WHERE ` + strings.Join(words, ` AND `) + `)`
	}
	return s.readCount(ctx, q, a, `SELECT CAST($1 AS BIGINT) + coalesce(`+difference+`, 0) AS n, `+s.dialect.EditMark+` AS edits,
		count(*) FILTER (WHERE e.delta = 0) = 0 AND `+areComplete+` AS complete
		FROM book_edits e WHERE `+isAfter)
}

// readCount counts with a statement that finds the number of books with the words.
// All is one statement, so that it is about one state of the library.
func (s *Store) readCount(ctx context.Context, q bookQuery, a engine.Arguments, matching string) (count, bool, error) {
	text := `WITH matching AS MATERIALIZED (` + matching + `)
		SELECT (` + countText(s.dialect, &a, q, func() string { return `SELECT n FROM matching` }) + `), n, edits, complete FROM matching`
	var complete bool
	counted, err := engine.ReadOne(ctx, s.db, "count", func(r engine.Row) (c count, err error) {
		err = r.Scan(&c.n, &c.matching, &c.edits, &complete)
		return c, err
	}, text, s.dialect.PlannedFor(a)...)
	return counted, complete, err
}

// maxCountKey is the longest key under which a count is cached, in bytes. Longer
// queries are hardly ever repeated.
const maxCountKey = 2048

// countCache are counts that are known. A full one is dropped as a whole, so strangers have one
// of their own: whatever they ask for, the counts of people stay.
type countCache struct {
	revcache.Cache[string, count]
	underWay countings
}

// maxStrangerCounts is how many counts are kept of what strangers have asked for.
const maxStrangerCounts = 512

// count asks the database to count, unless the count is known. It is good until
// one of the subjects changes, or everything.
func (s *Store) count(ctx context.Context, text string, a engine.Arguments, subjects ...string) (int, error) {
	return s.cachedCount(ctx, &s.counts, countKey(text, a), subjects, func(ctx context.Context, _ count) (count, error) {
		n, err := s.countAnew(ctx, text, a)
		return count{n: n}, err
	})
}

func (s *Store) countAnew(ctx context.Context, text string, a engine.Arguments) (n int, err error) {
	return engine.ReadOne(ctx, s.db, "count", engine.ScanNumber, text, s.dialect.PlannedFor(a)...)
}

// cachedCount returns the count that is known under a key. If it is not good any
// more it is made again, by a function that gets the last one. Callers who ask for the
// same at the same time are coalesced: they get the same outcome.
func (s *Store) cachedCount(ctx context.Context, counts *countCache, key string, subjects []string, again func(ctx context.Context, last count) (count, error)) (int, error) {
	at, err := s.db.Revision(ctx)
	if err != nil {
		return 0, err
	}
	if c, ok := counts.Get(at, key); ok {
		return c.n, nil
	}
	if len(key) > maxCountKey {
		c, err := again(ctx, count{})
		return c.n, err
	}
	counting := counts.underWay.enter(key, func(ctx context.Context, wanted []library.Revision) (count, error) {
		at := wanted[len(wanted)-1]
		if c, ok := counts.Get(at, key); ok {
			return c, nil
		}
		last, _ := counts.Last(at, key)
		c, err := again(ctx, last)
		if err == nil {
			counts.Put(at, key, c, 1, subjects...)
		}
		return c, err
	})
	defer counts.underWay.leave(key)
	waiting, cancel := context.WithTimeout(ctx, engine.Timeout(ctx))
	defer cancel()
	c, _, err := counting.Do(waiting, at)
	return c.n, s.dialect.Error(ctx, "wait for a count", err)
}

// countings are the counts under way.
type countings struct {
	mu    sync.Mutex
	byKey map[string]*counting
}

// counting is a count under way, for which others with the same query wait (coalescing):
// to count may take long.
type counting struct {
	engine.Coalescing[library.Revision, count]
	waiting int
}

// enter finds the count of a key that is under way, or begins one.
func (c *countings) enter(key string, ask func(context.Context, []library.Revision) (count, error)) *counting {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.byKey[key]
	if one == nil {
		if c.byKey == nil {
			c.byKey = make(map[string]*counting)
		}
		one = &counting{}
		one.Ask, one.Hold = ask, engine.UsualTimeout
		c.byKey[key] = one
	}
	one.waiting++
	return one
}

func (c *countings) leave(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.byKey[key]
	if one.waiting--; one.waiting == 0 {
		delete(c.byKey, key)
	}
}

func countKey(text string, a engine.Arguments) string {
	for _, value := range a {
		text += "\x00" + fmt.Sprint(value)
	}
	return text
}
