package booksearch

import (
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

// Every book has a stock, and is found together with it.
const (
	booksAndStock = `books b CROSS JOIN stock s`
	stockOfBook   = `s.seq = b.seq`
)

// selectBooks finds the books of a query, with their stock, by the most selective condition.
func selectBooks(d *engine.Dialect, a *engine.Arguments, q bookQuery) engine.Selection {
	var sel engine.Selection
	switch {
	case q.IDs != nil:
		sel.From = booksAndStock
		sel.Where = []string{`b.id ` + d.Among(a.Add(d.List(q.IDs)))}
	case q.titles == phraseTitles:
		sel = selectFound(d, a, q)
		sel.From += d.Each(`stock`, `s`, stockOfBook)
	case q.BorrowedBy != "":
		sel.From = `(SELECT DISTINCT book_id FROM loans WHERE returned_at IS NULL AND user_id = ` + a.Add(q.BorrowedBy) + `) l CROSS JOIN ` + booksAndStock
		sel.Where = []string{`b.id = l.book_id`}
		if searches(q) {
			sel.Where = append(sel.Where, `b.seq IN (`+d.FindBooks(a, q.words())+`)`)
		}
	case searches(q) && isRare(q) && q.IDStart == "":
		sel.With = withFound(d.FindBooks(a, q.words()))
		sel.From = `found f CROSS JOIN stock s` + d.Each(`books`, `b`, `b.seq = f.seq`)
		sel.Where = []string{`s.seq = f.seq`}
	case searches(q) || q.IDStart != "":
		sel = selectFound(d, a, q)
		sel.From += d.Each(`stock`, `s`, stockOfBook)
	case isRare(q):
		sel.From = `stock s CROSS JOIN books b`
	default:
		sel.From = booksAndStock
	}
	sel.Where = append(sel.Where, stockOfBook)
	filter(&sel, a, q)
	return sel
}

// selectFound finds books by an index and looks up each. PostgreSQL knows neither the frequency of a
// word nor, after an import, the selectivity of a filter: it would go through all books to join them.
func selectFound(d *engine.Dialect, a *engine.Arguments, q bookQuery) (sel engine.Selection) {
	switch {
	case q.titles == phraseTitles:
		sel.With = withFound(`SELECT b.seq FROM books b WHERE ` + titleCondition(a, q.Phrases) + ` AND b.title_rank <> ''`) // condition of the partial index
		sel.Where = matchConditions(d, a, q)
	case q.IDStart != "":
		sel.With = withFound(`SELECT b.seq FROM books b WHERE ` + idCondition(a, q))
		sel.Where = matchConditions(d, a, q)
	default:
		sel.With = withFound(d.FindBooks(a, q.words()))
	}
	sel.From = `found f` + d.Each(`books`, `b`, `b.seq = f.seq`)
	return sel
}

func withFound(text string) string { return `WITH found AS MATERIALIZED (` + text + `) ` }

// matchConditions are true if b matches, for looking at books one by one.
func matchConditions(d *engine.Dialect, a *engine.Arguments, q bookQuery) []string {
	where := d.BookConditions(a, q.Terms, q.Authors)
	if q.BorrowedBy != "" {
		where = append(where, `EXISTS (SELECT 1 FROM loans WHERE book_id = b.id AND returned_at IS NULL AND user_id = `+a.Add(q.BorrowedBy)+`)`)
	}
	if q.IDStart != "" {
		where = append(where, idCondition(a, q))
	}
	return where
}

// idCondition is true if the identifier of b begins with start. A tilde sorts after every character of an identifier.
func idCondition(a *engine.Arguments, q bookQuery) string {
	return `b.id >= ` + a.Add(q.IDStart) + ` AND b.id < ` + a.Add(q.IDStart+"~")
}

// filter adds the conditions without an index of their own.
func filter(s *engine.Selection, a *engine.Arguments, q bookQuery) {
	if q.ISBN != "" {
		// The second condition is the one of the partial index.
		s.Where = append(s.Where, `b.isbn_key = `+a.Add(q.ISBN), `b.isbn_key <> ''`)
	}
	if q.titles == otherTitles {
		s.Where = append(s.Where, `NOT `+titleCondition(a, q.Phrases))
	}
	s.Where = append(s.Where, fieldConditions(a, q)...)
	s.Where = append(s.Where, stockConditions(q)...)
}

// titles selects books by title: all, titles equal to the question or beginning with it, or the others.
type titles int

const (
	anyTitle titles = iota
	phraseTitles
	otherTitles
)

// years selects books by year: all, with a year, or without.
type years int

const (
	anyYear years = iota
	withYear
	withoutYear
)

// fieldConditions are about the fields of a book. The second conditions for a language, a kind and a
// series, and the one for a year, are the conditions of partial indexes.
func fieldConditions(a *engine.Arguments, q bookQuery) (where []string) {
	if q.Language != "" {
		where = append(where, `b.language = `+a.Add(q.Language), `b.language <> ''`)
	}
	if q.Kind != "" {
		where = append(where, `b.kind = `+a.Add(q.Kind))
	}
	if q.Kind != "" && q.Kind != library.KindBook {
		where = append(where, `b.kind <> '`+library.KindBook+`'`)
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

// yearConditions are the conditions of the indexes by year.
func yearConditions(a *engine.Arguments, q bookQuery) (where []string) {
	if q.years == withYear || q.From > 0 || q.To > 0 {
		where = append(where, `b.published > 0`)
	} else if q.years == withoutYear {
		where = append(where, `b.published = 0`)
	}
	if q.Order == library.ByPublishedNewest && q.After != nil {
		// Repeats a part of the order; SQLite looks for it in the index.
		where = append(where, `(-b.published) >= `+a.Add(-q.After.Published))
	}
	return where
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// hasFieldFilter reports whether a query has a filter outside of the search index.
func hasFieldFilter(q library.BookQuery) bool {
	return q.Language != "" || q.Kind != "" || q.Series != "" || len(q.Subjects) > 0 || q.From > 0 || q.To > 0
}

// subjectTerms are the words of the subjects in a query. The search words of a book include them, so
// the search index narrows the query down to a few books. Some words are enough: each book is looked
// up, and its whole subjects are compared.
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

// stockConditions repeat the conditions of the partial indexes of the stock.
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

// isRare reports whether a query asks for a rare state of the stock.
func isRare(q bookQuery) bool {
	return q.Borrowed != nil && *q.Borrowed || q.Available != nil && !*q.Available
}

// searches reports whether a query needs the search index.
func searches(q bookQuery) bool { return len(q.Terms) > 0 || len(q.Authors) > 0 }

// narrows reports whether a query need not go through all books.
func narrows(q bookQuery) bool {
	return searches(q) || q.IDStart != "" || q.BorrowedBy != "" || isRare(q) || hasFieldFilter(q.BookQuery)
}

// fewWords reports whether a query has few enough words to compare each book with them on a walk.
func fewWords(q bookQuery) bool {
	words := 0
	for _, t := range slices.Concat(q.Terms, q.Authors) {
		words += len(t.Words)
	}
	return words <= 8
}

func orderOfBooks(o library.Order) engine.Ordering {
	by := func(columns ...string) engine.Ordering {
		return engine.Ordering{Columns: columns, Descending: o == library.ByTitleReverse || o == library.ByCreatedNewest}
	}
	switch o {
	case library.ByCreated, library.ByCreatedNewest:
		return by("b.created_at", "b.id")
	case library.ByPublished:
		return by("b.published", "b.title_key", "b.title", "b.id")
	case library.ByPublishedNewest:
		return by("(-b.published)", "b.title_key", "b.title", "b.id")
	default:
		return by("b.title_key", "b.title", "b.id")
	}
}

// bookKey returns the place of q.After in the order of q, nil for the beginning.
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
