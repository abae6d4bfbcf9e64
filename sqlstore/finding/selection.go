package finding

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

// selectBooks finds the books of a query by what narrows it most.
func selectBooks(d *engine.Dialect, a *engine.Arguments, q bookQuery) engine.Selection {
	var sel engine.Selection
	switch {
	case q.IDs != nil:
		sel.From = booksAndStock
		sel.Where = []string{`b.id ` + d.Among(a.Add(d.List(q.IDs)))}
	case q.BorrowedBy != "":
		sel.From = `loans l CROSS JOIN ` + booksAndStock
		sel.Where = []string{`b.id = l.book_id`, `l.returned_at IS NULL`, `l.user_id = ` + a.Add(q.BorrowedBy)}
		if searches(q) {
			sel.Where = append(sel.Where, `b.seq IN (`+d.FindBooks(a, q.words())+`)`)
		}
	case q.IDStart != "":
		// A tilde sorts after every character of an identifier.
		sel.With = `WITH found AS MATERIALIZED (SELECT seq FROM books WHERE id >= ` + a.Add(q.IDStart) + ` AND id < ` + a.Add(q.IDStart+"~") + `) `
		sel.From = `found f CROSS JOIN ` + booksAndStock
		sel.Where = []string{`b.seq = f.seq`}
		if searches(q) {
			sel.Where = append(sel.Where, `b.seq IN (`+d.FindBooks(a, q.words())+`)`)
		}
	case searches(q):
		sel.With = `WITH found AS MATERIALIZED (` + d.FindBooks(a, q.words()) + `) `
		sel.From = `found f CROSS JOIN ` + booksAndStock
		sel.Where = []string{`b.seq = f.seq`}
		switch {
		case isRare(q):
		case hasFieldFilter(q.BookQuery):
			// With statistics from before a large import PostgreSQL expects a filter to leave
			// next to nothing, and would look through all that was found for each book it leaves.
			sel.From, sel.Where = `found f`+d.Each(`books`, `b`, `b.seq = f.seq`)+d.Each(`stock`, `s`, stockOfBook), nil
		default:
			sel.From = `found f CROSS JOIN books b` + d.Each(`stock`, `s`, stockOfBook)
		}
	case isRare(q):
		sel.From = `stock s CROSS JOIN books b`
	default:
		sel.From = booksAndStock
	}
	sel.Where = append(sel.Where, stockOfBook)
	filter(&sel, a, q)
	return sel
}

// filter adds the conditions that need no index of their own.
func filter(s *engine.Selection, a *engine.Arguments, q bookQuery) {
	if q.ISBN != "" {
		// The second condition is what the index is limited to.
		s.Where = append(s.Where, `b.isbn_key = `+a.Add(q.ISBN), `b.isbn_key <> ''`)
	}
	s.Where = append(s.Where, fieldConditions(a, q)...)
	s.Where = append(s.Where, stockConditions(q)...)
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
