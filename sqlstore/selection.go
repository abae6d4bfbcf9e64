package sqlstore

import (
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

// selection is the middle of a SELECT: which records, found how. The first
// table in from is the one that both databases begin with; CROSS JOIN makes
// SQLite keep to that.
type selection struct {
	with  string
	from  string
	where []string
}

// text is the whole statement.
func (s selection) text(columns, tail string) string {
	text := s.with + `SELECT ` + columns + ` FROM ` + s.from
	if len(s.where) > 0 {
		text += ` WHERE ` + strings.Join(s.where, ` AND `)
	}
	return text + tail
}

// Every book has a stock, and is found together with it.
const (
	booksAndStock = `books b CROSS JOIN stock s`
	stockOfBook   = `s.seq = b.seq`
)

// selectBooks finds the books of a query by what narrows it most.
func selectBooks(d *engine.Dialect, a *engine.Arguments, q bookQuery) selection {
	var sel selection
	switch {
	case q.IDs != nil:
		sel.from = booksAndStock
		sel.where = []string{`b.id ` + d.Among(a.Add(d.List(q.IDs)))}
	case q.BorrowedBy != "":
		sel.from = `loans l CROSS JOIN ` + booksAndStock
		sel.where = []string{`b.id = l.book_id`, `l.returned_at IS NULL`, `l.user_id = ` + a.Add(q.BorrowedBy)}
		if searches(q) {
			sel.where = append(sel.where, `b.seq IN (`+d.FindBooks(a, q.words())+`)`)
		}
	case q.IDStart != "":
		// A tilde sorts after every character of an identifier.
		sel.with = `WITH found AS MATERIALIZED (SELECT seq FROM books WHERE id >= ` + a.Add(q.IDStart) + ` AND id < ` + a.Add(q.IDStart+"~") + `) `
		sel.from = `found f CROSS JOIN ` + booksAndStock
		sel.where = []string{`b.seq = f.seq`}
		if searches(q) {
			sel.where = append(sel.where, `b.seq IN (`+d.FindBooks(a, q.words())+`)`)
		}
	case searches(q):
		sel.with = `WITH found AS MATERIALIZED (` + d.FindBooks(a, q.words()) + `) `
		sel.from = `found f CROSS JOIN ` + booksAndStock
		sel.where = []string{`b.seq = f.seq`}
		switch {
		case isRare(q):
		case hasFieldFilter(q.BookQuery):
			// With statistics from before a large import PostgreSQL expects a filter to leave
			// next to nothing, and would look through all that was found for each book it leaves.
			sel.from, sel.where = `found f`+d.Each(`books`, `b`, `b.seq = f.seq`)+d.Each(`stock`, `s`, stockOfBook), nil
		default:
			sel.from = `found f CROSS JOIN books b` + d.Each(`stock`, `s`, stockOfBook)
		}
	case isRare(q):
		sel.from = `stock s CROSS JOIN books b`
	default:
		sel.from = booksAndStock
	}
	sel.where = append(sel.where, stockOfBook)
	sel.filter(a, q)
	return sel
}

// filter adds the conditions that need no index of their own.
func (s *selection) filter(a *engine.Arguments, q bookQuery) {
	if q.ISBN != "" {
		// The second condition is what the index is limited to.
		s.where = append(s.where, `b.isbn_key = `+a.Add(q.ISBN), `b.isbn_key <> ''`)
	}
	s.where = append(s.where, fieldConditions(a, q)...)
	s.where = append(s.where, stockConditions(q)...)
}

// years is which books of a query are meant: all, those with a year, or those without.
type years int

const (
	anyYear years = iota
	withYear
	withoutYear
)

// fieldConditions are about what is known of a book. The second conditions of a
// language and a series, and that of a year, are what the indexes are limited to.
func fieldConditions(a *engine.Arguments, q bookQuery) (where []string) {
	if q.Language != "" {
		where = append(where, `b.language = `+a.Add(q.Language), `b.language <> ''`)
	}
	if q.Series != "" {
		where = append(where, `b.series_key = `+a.Add(q.Series), `b.series_key <> ''`)
	}
	for _, key := range q.Subjects {
		where = append(where, `b.subject_keys LIKE `+a.Add("%\n"+likeEscapes.Replace(key)+"\n%")+` ESCAPE '\'`)
	}
	where = append(where, yearConditions(a, q)...)
	if q.From > 0 {
		where = append(where, `b.published >= `+a.Add(q.From))
	}
	if q.To > 0 {
		where = append(where, `b.published <= `+a.Add(q.To))
	}
	return where
}

// yearConditions are what the indexes by year need to know.
func yearConditions(a *engine.Arguments, q bookQuery) (where []string) {
	if q.years == withYear || q.From > 0 || q.To > 0 {
		where = append(where, `b.published > 0`)
	} else if q.years == withoutYear {
		where = append(where, `b.published = 0`)
	}
	if q.Order == library.ByPublishedNewest && q.After != nil {
		// The same as a part of the order says; SQLite looks for it in the index.
		where = append(where, `(-b.published) >= `+a.Add(-q.After.Published))
	}
	return where
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// hasFieldFilter reports whether a query has a filter that the search index knows nothing of.
func hasFieldFilter(q library.BookQuery) bool {
	return q.Language != "" || q.Series != "" || len(q.Subjects) > 0 || q.From > 0 || q.To > 0
}

// subjectTerms are the words of the subjects that a query asks for. They are among the search
// words of a book, so that the search index narrows it down to a few books. Some of them are
// enough for that: each is looked up, and the whole subjects are compared after that.
func subjectTerms(q library.BookQuery) (terms []library.Term) {
	left := maxSubjectWords
	for _, key := range q.Subjects {
		words := fulltext.Words(key)
		words = words[:min(len(words), left)]
		if left -= len(words); len(words) > 0 {
			terms = append(terms, library.Term{Words: words})
		}
	}
	return terms
}

const maxSubjectWords = 32

// stockConditions are in the words of the indexes of the stock.
func stockConditions(q bookQuery) (where []string) {
	if q.Borrowed != nil && *q.Borrowed {
		where = append(where, `s.borrowed`)
	} else if q.Borrowed != nil {
		where = append(where, `NOT s.borrowed`)
	}
	if q.Available != nil && *q.Available {
		where = append(where, `s.available > 0`)
	} else if q.Available != nil {
		where = append(where, `s.available = 0`)
	}
	return where
}

// isRare reports whether a query asks for a stock that few books have.
func isRare(q bookQuery) bool {
	return q.Borrowed != nil && *q.Borrowed || q.Available != nil && !*q.Available
}

// searches reports whether a query needs the search index.
func searches(q bookQuery) bool { return len(q.Terms) > 0 || len(q.Authors) > 0 }

// narrows reports whether a query has another way to its books than to go
// through all of them.
func narrows(q bookQuery) bool {
	return searches(q) || q.IDStart != "" || q.BorrowedBy != "" || isRare(q) || hasFieldFilter(q.BookQuery)
}

// fewWords reports whether a query has few enough words to compare each book with them
// on a walk.
func fewWords(q bookQuery) bool {
	words := 0
	for _, t := range slices.Concat(q.Terms, q.common, q.Authors) {
		words += len(t.Words)
	}
	return words <= 8
}

// ordering is an order of records, by columns that end in the identifier, so
// that no two records have the same place. An index leads through it.
type ordering struct {
	columns    []string
	descending bool
	brief      string // the bookColumns of a book with no more in them than this order needs
}

var usersByName = ordering{columns: []string{"last_name_key", "first_name_key", "last_name", "first_name", "id"}}

func orderOfBooks(o library.Order) ordering {
	switch o {
	case library.ByCreated, library.ByCreatedNewest:
		return ordering{[]string{"b.created_at", "b.id"}, o == library.ByCreatedNewest, briefByCreation}
	case library.ByPublished:
		return ordering{[]string{"b.published", "b.title_key", "b.title", "b.id"}, false, briefByYear}
	case library.ByPublishedNewest:
		return ordering{[]string{"(-b.published)", "b.title_key", "b.title", "b.id"}, false, briefByYear}
	default:
		return ordering{[]string{"b.title_key", "b.title", "b.id"}, o == library.ByTitleReverse, briefByTitle}
	}
}

// bookKey is the place of q.After in the order of q, nil for the beginning.
func bookKey(q bookQuery) []any {
	c := q.After
	switch {
	case c == nil:
		return nil
	case q.Order == library.ByCreated || q.Order == library.ByCreatedNewest:
		return []any{c.Created.UnixMicro(), c.ID}
	case q.Order == library.ByPublished:
		return []any{c.Published, library.TitleKey(c.Title), c.Title, c.ID}
	case q.Order == library.ByPublishedNewest:
		return []any{-c.Published, library.TitleKey(c.Title), c.Title, c.ID}
	case q.Order == library.ByRelevance:
		return []any{int(c.Class), library.TitleKey(c.Title), c.Title, c.ID}
	default:
		return []any{library.TitleKey(c.Title), c.Title, c.ID}
	}
}

// page limits a selection to the records after a place and returns the rest of
// the statement.
func (o ordering) page(a *engine.Arguments, sel *selection, after []any, limit int) string {
	if after != nil {
		sel.where = append(sel.where, o.row()+o.pick(` > `, ` < `)+places(a, after))
	}
	direction := o.pick(``, ` DESC`)
	tail := ` ORDER BY ` + strings.Join(o.columns, direction+`, `) + direction
	if limit > 0 {
		tail += ` LIMIT ` + a.Add(limit)
	}
	return tail
}

// upTo is the condition that a record is not after a place.
func (o ordering) upTo(a *engine.Arguments, end []any) string {
	return o.row() + o.pick(` <= `, ` >= `) + places(a, end)
}

func (o ordering) row() string { return `(` + strings.Join(o.columns, `, `) + `)` }

func (o ordering) pick(ascending, descending string) string {
	if o.descending {
		return descending
	}
	return ascending
}

func places(a *engine.Arguments, values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = a.Add(v)
	}
	return `(` + strings.Join(names, `, `) + `)`
}
