package finding

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/finding"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore/engine"
)

// Look reads one row of one text.
func Look(t testing.TB, c *Catalogue, text string, args ...any) string {
	t.Helper()
	var got string
	if err := c.db.Direct().QueryRowContext(context.Background(), text, args...).Scan(&got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}

// TryExec runs a statement on the tables themselves.
func TryExec(c *Catalogue, text string, args ...any) error {
	_, err := c.db.Direct().ExecContext(context.Background(), text, args...)
	return err
}

// Exec is TryExec for statements that must succeed.
func Exec(t testing.TB, c *Catalogue, text string, args ...any) {
	t.Helper()
	if err := TryExec(c, text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func planOf(t testing.TB, c *Catalogue, text string, a engine.Arguments) string {
	t.Helper()
	return testkit.PlanOf(t, c.db.Direct().DB, c.dialect.Name, text, c.dialect.PlannedFor(a)...)
}

// CountAnew counts without the cache.
func CountAnew(t testing.TB, c *Catalogue, q library.BookQuery) int {
	text, a := countBooks(c.dialect, bookQuery{BookQuery: q})
	var n int
	testkit.NoError(t, c.db.Direct().QueryRowContext(context.Background(), text, c.dialect.PlannedFor(a)...).Scan(&n))
	return n
}

// Plan is the database's plan for a list.
func Plan(t testing.TB, c *Catalogue, q library.BookQuery) string {
	t.Helper()
	var a engine.Arguments
	part := partsOf(bookQuery{BookQuery: q})[0]
	sel := selectBooks(c.dialect, &a, part)
	tail := orderOfBooks(part.Order).Page(&a, &sel, bookKey(part), part.Limit)
	return planOf(t, c, sel.Text(c.books.Columns, tail), a)
}

// PlanOfAhead is how a database finds out where a walk ends.
func PlanOfAhead(t testing.TB, c *Catalogue, q library.BookQuery) string {
	t.Helper()
	var a engine.Arguments
	text := aheadText(&a, partsOf(bookQuery{BookQuery: q})[0], 10)
	return planOf(t, c, text, a)
}

// PretendCommon makes the plans of the next hour take these words for common.
func (c *Catalogue) PretendCommon(words ...string) {
	c.words.mu.Lock()
	defer c.words.mu.Unlock()
	c.words.sample = wordSample{
		taken: time.Now().Add(time.Hour),
		books: slices.Repeat([]string{" " + strings.Join(words, " ")}, sampleSize),
	}
	c.words.known = nil
}

// KeepCount counts under a key, as the store does.
func (c *Catalogue) KeepCount(ctx context.Context, key string, again func() int, subjects ...string) (int, error) {
	return c.counts.cached(ctx, &c.counts.people, key, subjects, func(context.Context, count) (count, error) { return count{n: again()}, nil })
}

// WhoWaitForCounts is how many do.
func (c *Catalogue) WhoWaitForCounts() (n int) {
	c.counts.people.underWay.mu.Lock()
	defer c.counts.people.underWay.mu.Unlock()
	for _, one := range c.counts.people.underWay.byKey {
		n += one.waiting
	}
	return n
}

// Divide finds out where words are, in ranges of some books, and what these are about. Words of
// few books are common, too, but not all subjects are.
func Divide(t testing.TB, c *Catalogue, rangeSize int) {
	t.Helper()
	how := division{rangeSize: rangeSize, maxRanges: 100, samples: 4, minHits: 4, maxWords: 200, facetWords: 150, subjects: 30}
	testkit.NoError(t, c.divide(context.Background(), how))
}

// FacetsOf looks at no more than most books, and reports whether they were counted when the titles were divided.
func FacetsOf(t testing.TB, c *Catalogue, q library.BookQuery, most int) (finding.Facets, bool) {
	t.Helper()
	facets, err := c.facetsOf(context.Background(), q, most)
	testkit.NoError(t, err)
	_, isKnown, err := c.knownFacets(context.Background(), bookQuery{BookQuery: q}, most)
	testkit.NoError(t, err)
	return facets, isKnown
}

// Suggest looks at no more than most books.
func Suggest(t testing.TB, c *Catalogue, typed string, most int) []finding.Suggestion {
	t.Helper()
	best, err := c.suggest(context.Background(), finding.NewTyped(typed), most)
	testkit.NoError(t, err)
	return best
}

// LimitCounts lets the counts of people be few.
func LimitCounts(c *Catalogue, most int) { c.counts.people.Max = most }

// IsCounted reports whether the count of a query is kept.
func IsCounted(t testing.TB, c *Catalogue, q library.BookQuery) bool {
	t.Helper()
	at, err := c.db.Revision(context.Background())
	testkit.NoError(t, err)
	_, ok := c.counts.people.Get(at, countKey(countBooks(c.dialect, bookQuery{BookQuery: q})))
	return ok
}

// IsLearned reports whether a word is taken for one of the vocabulary.
func IsLearned(c *Catalogue, word string) bool {
	words := map[string]bool{word: true}
	c.known.leaveOut(words, time.Now())
	return len(words) == 0
}

// DivideAtOnce is DivideTitles without a rest.
func DivideAtOnce(t testing.TB, c *Catalogue) {
	t.Helper()
	c.ranges.rest = time.Time{}
	testkit.NoError(t, c.DivideTitles(context.Background()))
}

// CountOfRanges is the count of a word from when the titles were divided, corrected by what
// was edited since; false if there is none.
func CountOfRanges(t testing.TB, c *Catalogue, q library.BookQuery) (int, bool) {
	t.Helper()
	last, err := c.countedWord(context.Background(), bookQuery{BookQuery: q})
	testkit.NoError(t, err)
	if last.edits == "" {
		return 0, false
	}
	corrected, ok, err := c.correct(context.Background(), bookQuery{BookQuery: q}, last)
	testkit.NoError(t, err)
	return corrected.n, ok
}

// PlanOfRanges is how a database reads a page from where the words are.
func PlanOfRanges(t testing.TB, c *Catalogue, q library.BookQuery) string {
	t.Helper()
	var a engine.Arguments
	planned := bookQuery{BookQuery: q}
	sel := selectRanges(c.dialect, &a, planned, "x", stretches{books: 1, places: []stretch{{"a", "b"}}})
	tail := orderOfBooks(q.Order).Page(&a, &sel, bookKey(planned), q.Limit)
	return planOf(t, c, sel.Text(c.books.Columns, tail), a)
}

// RangedBooks is a page that is read from where the words are; false if it is not read so.
func RangedBooks(t testing.TB, c *Catalogue, q library.BookQuery, total int) ([]library.Book, bool) {
	t.Helper()
	books, ok, _, err := c.rangedBooks(context.Background(), bookQuery{BookQuery: q, BookBatch: library.BookBatch{Total: total}})
	testkit.NoError(t, err)
	return books, ok
}

// TitlesThatBegin is how many titles are suggested without a search.
func TitlesThatBegin(t testing.TB, c *Catalogue, typed finding.Typed) int {
	t.Helper()
	best, err := c.titlesThatBegin(context.Background(), typed)
	testkit.NoError(t, err)
	return len(best)
}

// RankedBooks is a page by relevance that is read class by class; false if it is not read so.
func RankedBooks(t testing.TB, c *Catalogue, q library.BookQuery, total, few int) ([]library.Book, bool) {
	t.Helper()
	planned := bookQuery{BookQuery: q, asked: q.Terms, BookBatch: library.BookBatch{Total: total}}
	books, ok, err := c.rankedBooks(context.Background(), planned, few)
	testkit.NoError(t, err)
	return books, ok
}
