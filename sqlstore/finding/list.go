package finding

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

// BooksInBatch is Books for a list that is read in batches.
//
// There are three ways to a page of a search. One finds all matches in the search
// index and sorts them; it is fast when they are few. Another goes through
// the books in order until the page is full; it is fast when every other book
// matches. The third goes through those titles alone among which the words are. The
// number of matches decides, and what is known of the words.
func (c *Catalogue) BooksInBatch(ctx context.Context, asked library.BookQuery, batch library.BookBatch) (books []library.Book, err error) {
	q := c.plan(ctx, asked)
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

// partsOf are the parts of a list that are read one after the other. In the order of years
// the books without one come last, by title; so each part is in the order of an index.
func partsOf(q bookQuery) []bookQuery {
	if q.Order == library.ByRelevance && len(q.asked) == 0 {
		q.Order = library.ByTitle // nothing is more relevant than anything else
	}
	if q.Order != library.ByPublished && q.Order != library.ByPublishedNewest {
		return []bookQuery{q}
	}
	with, without := q, q
	with.years, without.years = withYear, withoutYear
	without.Order = library.ByTitle
	switch {
	case q.From > 0 || q.To > 0:
		return []bookQuery{with}
	case q.After != nil && q.After.Published == 0:
		return []bookQuery{without}
	}
	without.After = nil
	return []bookQuery{with, without}
}

func (c *Catalogue) booksOfPart(ctx context.Context, q bookQuery) ([]library.Book, error) {
	if q.Order == library.ByRelevance {
		if books, ok, err := c.rankedBooks(ctx, q, fewBooks); ok || err != nil {
			return books, err
		}
	}
	if q.Limit > 0 && q.Order != library.ByRelevance && q.IDStart == "" && narrows(q) && fewWords(q) && q.Total >= shortWalk {
		books, ok, known, err := c.rangedBooks(ctx, q)
		if ok || err != nil {
			return books, err
		}
		for far := shortWalk; !known && far <= min(q.Total, longWalk); far *= 8 {
			books, ok, err := c.walkBooks(ctx, q, far)
			if ok || err != nil {
				return books, err
			}
		}
	}
	var a engine.Arguments
	sel := selectBooks(c.dialect, &a, q)
	return c.listBooks(ctx, &a, q, sel)
}

// A walk looks at no more books than there are matches, because sorting those
// costs as much: walks in vain, when the matches are all far away, double the
// effort at worst. Beyond the longest walk there are enough matches that a page
// is expected to be full long before its end, even in a large library.
const (
	shortWalk = 200
	longWalk  = 200 * 8 * 8
)

// walkBooks goes through n books in order. It reports false when the page was
// not full then.
func (c *Catalogue) walkBooks(ctx context.Context, q bookQuery, n int) ([]library.Book, bool, error) {
	order := orderOfBooks(q.Order)
	end, err := c.booksAhead(ctx, q, n)
	if err != nil {
		return nil, false, err
	}
	var a engine.Arguments
	sel := engine.Selection{From: booksAndStock, Where: c.dialect.BookConditions(&a, slices.Concat(q.Terms, q.common), q.Authors)}
	sel.Where = append(sel.Where, stockOfBook)
	filter(&sel, &a, q)
	if q.BorrowedBy != "" {
		sel.Where = append(sel.Where, `EXISTS (SELECT 1 FROM loans WHERE book_id = b.id AND returned_at IS NULL AND user_id = `+a.Add(q.BorrowedBy)+`)`)
	}
	if end != nil {
		sel.Where = append(sel.Where, order.UpTo(&a, end))
	}
	books, err := c.listBooks(ctx, &a, q, sel)
	return books, end == nil || isFull(q, books), err
}

// isFull reports whether a page has all books that it may have.
func isFull(q bookQuery, books []library.Book) bool {
	return q.Limit > 0 && len(books) == q.Limit || q.MaxBytes > 0 && weight(books) >= q.MaxBytes
}

// booksAhead is the place of the book n books after q.After, nil when there
// are fewer.
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

// aheadText counts books with a year alone where the walk is in the order of years: the
// indexes have no others.
func aheadText(a *engine.Arguments, q bookQuery, n int) string {
	order := orderOfBooks(q.Order)
	sel := engine.Selection{From: `books b`}
	if q.years == withYear {
		sel.Where = yearConditions(a, q)
	}
	if q.Order == library.ByPublishedNewest && q.After == nil {
		sel.Where = append(sel.Where, `(-b.published) < 0`) // or SQLite sorts what it finds in the other index
	}
	tail := order.Page(a, &sel, bookKey(q), 1) + ` OFFSET ` + a.Add(n)
	return sel.Text(strings.Join(order.Columns, ", "), tail)
}

func (c *Catalogue) listBooks(ctx context.Context, a *engine.Arguments, q bookQuery, sel engine.Selection) ([]library.Book, error) {
	order, class := orderOfBooks(q.Order), strconv.Itoa(int(q.class))
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
