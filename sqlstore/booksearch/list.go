package booksearch

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Books returns up to q.Limit books after q.After in q.Order.
func (c *Catalogue) Books(ctx context.Context, q library.BookQuery) ([]library.Book, error) {
	return c.BooksInBatch(ctx, q, library.BookBatch{})
}

// bookQuery is a query, or a part of one, in the form for statements.
type bookQuery struct {
	library.BookQuery
	library.BookBatch
	asked  []library.Term // of the question alone, for relevance
	years  years
	titles titles
}

// words returns the terms for the search index.
func (q bookQuery) words() engine.BookWords {
	return engine.BookWords{Terms: q.Terms, Authors: q.Authors}
}

// newQuery adds the words of subjects to those of a query.
func newQuery(q library.BookQuery) bookQuery {
	asked := q.Terms
	q.Terms = append(slices.Clip(q.Terms), subjectTerms(q)...)
	return bookQuery{BookQuery: q, asked: asked}
}

// BooksInBatch returns the books of one batch, in one of the ways in the package comment.
func (c *Catalogue) BooksInBatch(ctx context.Context, asked library.BookQuery, batch library.BookBatch) (books []library.Book, err error) {
	q := newQuery(asked)
	q.BookBatch = batch
	for _, part := range partsOf(q) {
		if part.Limit > 0 {
			part.Limit -= len(books)
		}
		if part.MaxBytes > 0 {
			part.MaxBytes -= weight(books)
		}
		more, err := c.booksOfPart(ctx, part)
		if books = append(books, more...); err != nil || isFull(q, books) {
			return books, err
		}
	}
	return books, nil
}

// partsOf returns the parts of a list, read one after the other. In the order of years the books
// without one come last, by title. In a Coarse list the titles equal to the question or beginning with
// it come first. So each part but the titles is in the order of an index.
func partsOf(q bookQuery) []bookQuery {
	if q.Order == library.ByRelevance && len(q.asked) == 0 {
		q.Order = library.ByTitle // nothing is more relevant than anything else
	}
	first, rest := q, q
	rest.Order = library.ByTitle
	isBeyond := false // the first part
	switch {
	case q.Order == library.ByRelevance && q.Coarse && q.IDs == nil:
		first.titles, rest.titles = phraseTitles, otherTitles
		isBeyond = q.After != nil && q.After.Class > library.TitleBegins
	case q.Order == library.ByPublished || q.Order == library.ByPublishedNewest:
		first.years, rest.years = withYear, withoutYear
		if q.From > 0 || q.To > 0 {
			return []bookQuery{first}
		}
		isBeyond = q.After != nil && q.After.Published == 0
	default:
		return []bookQuery{q}
	}
	if isBeyond {
		return []bookQuery{rest}
	}
	rest.After = nil
	return []bookQuery{first, rest}
}

// booksOfPart finds and sorts few matches. For many it walks along the index of the order, and sorts
// all matches only if the walk has come to its end before the page was full.
func (c *Catalogue) booksOfPart(ctx context.Context, q bookQuery) ([]library.Book, error) {
	if q.Limit > 0 && q.Order != library.ByRelevance && q.IDs == nil && narrows(q) && fewWords(q) && q.Total > c.Limits.Sorted {
		if books, ok, err := c.walkBooks(ctx, q, max(c.Limits.Walked, 10*q.Limit)); ok || err != nil {
			return books, err
		}
	}
	var a engine.Arguments
	sel := selectBooks(c.dialect, &a, q)
	return c.listBooks(ctx, &a, q, sel)
}

// walkBooks goes through n books in order. It reports whether the page was full after them.
func (c *Catalogue) walkBooks(ctx context.Context, q bookQuery, n int) ([]library.Book, bool, error) {
	order := orderOfBooks(q.Order)
	end, err := c.booksAhead(ctx, q, n)
	if err != nil {
		return nil, false, err
	}
	var a engine.Arguments
	sel := engine.Selection{From: booksAndStock, Where: append(matchConditions(c.dialect, &a, q), stockOfBook)}
	filter(&sel, &a, q)
	if end != nil {
		sel.Where = append(sel.Where, order.UpTo(&a, end))
	}
	books, err := c.listBooks(ctx, &a, q, sel)
	return books, end == nil || isFull(q, books), err
}

// isFull reports whether a page has reached its limit.
func isFull(q bookQuery, books []library.Book) bool {
	return q.Limit > 0 && len(books) == q.Limit || q.MaxBytes > 0 && weight(books) >= q.MaxBytes
}

// booksAhead returns the place of the book n books after q.After, nil if fewer are left.
func (c *Catalogue) booksAhead(ctx context.Context, q bookQuery, n int) ([]any, error) {
	var a engine.Arguments
	order := orderOfBooks(q.Order)
	text := aheadText(&a, q, n)
	place, err := engine.ReadOne(ctx, c.db, "list books", func(r engine.Row) ([]any, error) {
		place := make([]any, len(order.Columns))
		dest := make([]any, len(place))
		for i := range place {
			dest[i] = &place[i]
		}
		return place, r.Scan(dest...)
	}, text, c.dialect.PlannedFor(a)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return place, err
}

// aheadText counts only books with a year if the walk is in the order of years: the indexes have no others.
func aheadText(a *engine.Arguments, q bookQuery, n int) string {
	order := orderOfBooks(q.Order)
	sel := engine.Selection{From: `books b`}
	if q.years == withYear {
		sel.Where = yearConditions(a, q)
	}
	if q.Order == library.ByPublishedNewest && q.After == nil {
		sel.Where = append(sel.Where, `(-b.published) < 0`) // or SQLite uses the other index and sorts
	}
	tail := order.Page(a, &sel, bookKey(q), 1) + ` OFFSET ` + a.Add(n)
	return sel.Text(strings.Join(order.Columns, ", "), tail)
}

func (c *Catalogue) listBooks(ctx context.Context, a *engine.Arguments, q bookQuery, sel engine.Selection) ([]library.Book, error) {
	order, class := orderOfBooks(q.Order), `0`
	if q.titles == otherTitles {
		class = strconv.Itoa(int(library.Unranked))
	}
	if q.Order == library.ByRelevance {
		class = classText(a, q)
		order.Columns = append([]string{class}, order.Columns...)
	}
	tail := order.Page(a, &sel, bookKey(q), q.Limit)
	columns := c.books.Columns
	if q.KeysOnly {
		columns = c.books.brief(q.Order)
	}
	columns += `, ` + class
	var books []library.Book
	err := c.db.Read(ctx, engine.Reading{Doing: "list books", Text: sel.Text(columns, tail), Args: c.dialect.PlannedFor(*a), Scan: func(rows engine.Records) error {
		books = nil // the statement may be run again
		for left := q.MaxBytes; (q.MaxBytes == 0 || left > 0) && rows.Next(); {
			var class library.Class
			b, err := c.books.Scan(rows, &class)
			if err != nil {
				return err
			}
			b.Class = class
			left -= b.Weight()
			books = append(books, b)
		}
		return rows.Err()
	}})
	if err != nil || q.KeysOnly {
		return books, err
	}
	return books, c.books.View(ctx, q.Viewer, books)
}

func weight(books []library.Book) (sum int) {
	for _, b := range books {
		sum += b.Weight()
	}
	return sum
}
