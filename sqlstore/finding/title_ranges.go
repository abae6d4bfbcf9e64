package finding

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// titleRanges are the titles in their order, divided into ranges, and how many books of
// each range have some words. They are as they were at one time: a book that was added or
// edited since is among the edited titles, and looked at in any case.
type titleRanges struct {
	made   string // names the division
	ranges []titleRange
	words  [][]byte // for each word, its books in each range; 255 stands for more, too
	// For each word, its classBits in each range; nil if they are not known.
	classes map[string][]byte
}

// titleRange is some titles that follow each other.
type titleRange struct {
	Start string `json:"start"` // its first title_key
	Books int    `json:"books"`
}

// The last range ends where no title does.
var endOfTitles = strings.Repeat("\U0010FFFF", library.MaxTitle+1)

// plainWords are the words of a query that asks for books with some words and nothing
// that is rarer. It reports false for any other.
func plainWords(q bookQuery) (words []string, ok bool) {
	if hasFieldFilter(q.BookQuery) {
		return nil, false
	}
	return filteredWords(q)
}

// filteredWords are the words of a query that may have filters by language, series and year besides. It reports
// false if there is one by subject, whose words are looked up with the others.
func filteredWords(q bookQuery) (words []string, ok bool) {
	unfiltered := q.BookQuery
	unfiltered.Language, unfiltered.Series, unfiltered.From, unfiltered.To = "", "", 0, 0
	if !onlySearches(unfiltered) || q.years != anyYear || isRare(q) || len(q.Authors) > 0 {
		return nil, false
	}
	for _, t := range slices.Concat(q.Terms, q.common) {
		if t.Number != "" {
			return nil, false
		}
		words = append(words, t.Words...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return words, len(words) > 0
}

// rangedBooks reads a page in the order of titles from the ranges that have all words.
// It reports false if that would take longer than to sort all matches, and whether it
// knows where the words are.
func (c *Catalogue) rangedBooks(ctx context.Context, q bookQuery) (books []library.Book, ok, known bool, err error) {
	words, ok := filteredWords(q)
	if !ok || q.Order != library.ByTitle && q.Order != library.ByTitleReverse {
		return nil, false, false, nil
	}
	t, err := c.rangesOf(ctx, words)
	if t == nil || err != nil || q.class > 0 && t.classes == nil {
		return nil, false, false, err
	}
	for enough := q.Limit; ; enough *= 4 {
		some := t.next(q, enough)
		if some.books > t.matching(q) {
			return nil, false, true, nil
		}
		books, err := c.listRanges(ctx, q, t.made, some)
		if err != nil || isFull(q, books) || some.all && len(books) > 0 {
			return books, err == nil, true, err
		}
		if some.all { // or the ranges were made anew meanwhile
			made, err := engine.ReadOne(ctx, c.db, "look at the ranges of titles", engine.ScanText, `SELECT coalesce((SELECT made FROM title_ranges), '')`)
			return nil, err == nil && made == t.made, true, err
		}
	}
}

// matching is how many books may be looked at: without the ranges, it would be all that have the words. A filter
// may leave few of them, in any range, and then looking through ranges is in vain: so no more than
// a part of them.
func (t *titleRanges) matching(q bookQuery) int {
	if !hasFieldFilter(q.BookQuery) {
		return q.Total
	}
	fewest := math.MaxInt
	for _, counts := range t.words {
		books := 0
		for _, n := range counts {
			books += int(n)
		}
		fewest = min(fewest, books)
	}
	return max(q.Total, fewest/filterShare)
}

// filterShare is the part of the books with the words that may be looked at in ranges before all are.
const filterShare = 8

// stretches are ranges to look through: each from a title to before another.
type stretches struct {
	all    bool // that there are
	books  int  // that are in them
	places []stretch
}

type stretch struct {
	First  string `json:"first_key"`
	Beyond string `json:"beyond_key"`
}

// next are the ranges after q.After in which about enough books have all words.
func (t *titleRanges) next(q bookQuery, enough int) (some stretches) {
	descending := q.Order == library.ByTitleReverse
	first, step := 0, 1
	if descending {
		first, step = len(t.ranges)-1, -1
	}
	if q.After != nil {
		key := library.TitleKey(q.After.Title)
		first = max(sort.Search(len(t.ranges), func(i int) bool { return t.ranges[i].Start > key })-1, 0)
	}
	some.places = []stretch{} // which is an empty list in JSON
	expected := 0.0
	for i := first; i >= 0 && i < len(t.ranges); i += step {
		n := t.expected(i)
		if n == 0 || q.class > 0 && !t.mayHave(i, q.class, q.Phrases) {
			continue
		}
		if q.class > library.TitleBegins { // who knows how many are of the class; titles that begin so are together
			n = min(n, 4)
		}
		some.add(t, i, descending)
		if i != first || q.After == nil { // who knows how many are after the place
			expected += n
		}
		if expected >= float64(enough) {
			return some
		}
	}
	some.all = true
	return some
}

// until is the condition that an edited title is not after the ranges: those that
// come between may be in ranges to which nobody has looked.
func (s stretches) until(a *engine.Arguments, descending bool) string {
	switch last := len(s.places) - 1; {
	case s.all:
		return ``
	case descending:
		return ` AND b.title_key >= ` + a.Add(s.places[last].First)
	default:
		return ` AND b.title_key < ` + a.Add(s.places[last].Beyond)
	}
}

// expected is how many books of a range have all words, if they know nothing of each
// other; 0 only if none has.
func (t *titleRanges) expected(i int) float64 {
	size := float64(max(t.ranges[i].Books, 1))
	n := size
	for _, counts := range t.words {
		n *= float64(counts[i]) / size
	}
	return n
}

// add appends a range, which may be next to the last one.
func (s *stretches) add(t *titleRanges, i int, descending bool) {
	s.books += t.ranges[i].Books
	one := stretch{t.ranges[i].Start, endOfTitles}
	if i+1 < len(t.ranges) {
		one.Beyond = t.ranges[i+1].Start
	}
	if n := len(s.places); n > 0 && descending && s.places[n-1].First == one.Beyond {
		s.places[n-1].First = one.First
	} else if n > 0 && !descending && s.places[n-1].Beyond == one.First {
		s.places[n-1].Beyond = one.Beyond
	} else {
		s.places = append(s.places, one)
	}
}

// listRanges reads a page from some ranges and the edited titles. It finds nothing if
// the ranges are no longer those.
func (c *Catalogue) listRanges(ctx context.Context, q bookQuery, made string, some stretches) ([]library.Book, error) {
	var a engine.Arguments
	sel := selectRanges(c.dialect, &a, q, made, some)
	return c.listBooks(ctx, &a, q, sel)
}

func selectRanges(d *engine.Dialect, a *engine.Arguments, q bookQuery, made string, some stretches) engine.Selection {
	places, _ := json.Marshal(some.places) // strings always marshal
	a.Add(string(places))                  // $1, as Rows wants it
	words := strings.Join(engine.PrefixConditions(a, "b.search_words", slices.Concat(q.Terms, q.common)), ` AND `)
	sel := engine.Selection{
		With: `WITH found AS MATERIALIZED (
			SELECT b.seq FROM ` + d.Rows([]engine.RowColumn{{Name: "first_key", Type: "text"}, {Name: "beyond_key", Type: "text"}}) +
			d.Each(`books`, `b`, `b.title_key >= r.first_key AND b.title_key < r.beyond_key`) + ` WHERE ` + words + `
			UNION SELECT b.seq FROM edited_titles e` + d.Each(`books`, `b`, `b.seq = e.book`) + ` WHERE ` + words +
			some.until(a, q.Order == library.ByTitleReverse) + `) `,
		From:  `found f` + d.Each(`books`, `b`, `b.seq = f.seq`) + d.Each(`stock`, `s`, stockOfBook),
		Where: []string{`(SELECT made FROM title_ranges) = ` + a.Add(made)},
	}
	if q.class > 0 {
		sel.Where = append(sel.Where, classText(a, q)+` = `+a.Add(int(q.class)))
	}
	filter(&sel, a, q)
	return sel
}
