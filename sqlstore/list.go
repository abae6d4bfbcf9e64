package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

// Books returns up to q.Limit books after q.After in q.Order.
func (s *Store) Books(ctx context.Context, q library.BookQuery) ([]library.Book, error) {
	return s.BooksInBatch(ctx, q, library.BookBatch{})
}

// BooksInBatch is Books for a list that is read in batches.
//
// There are three ways to a page of a search. One finds all matches in the search
// index and sorts them; it is fast when they are few. Another goes through
// the books in order until the page is full; it is fast when every other book
// matches. The third goes through those titles alone among which the words are. The
// number of matches decides, and what is known of the words.
func (s *Store) BooksInBatch(ctx context.Context, asked library.BookQuery, batch library.BookBatch) (books []library.Book, err error) {
	q := s.plan(ctx, asked)
	q.BookBatch = batch
	for _, part := range partsOf(q) {
		if part.Limit > 0 {
			part.Limit -= len(books)
		}
		if part.MaxBytes > 0 {
			part.MaxBytes -= weight(books)
		}
		more, err := s.booksOfPart(ctx, part)
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

func (s *Store) booksOfPart(ctx context.Context, q bookQuery) ([]library.Book, error) {
	if q.Order == library.ByRelevance {
		if books, ok, err := s.rankedBooks(ctx, q, fewBooks); ok || err != nil {
			return books, err
		}
	}
	if q.Limit > 0 && q.Order != library.ByRelevance && q.IDStart == "" && narrows(q) && fewWords(q) && q.Total >= shortWalk {
		books, ok, known, err := s.rangedBooks(ctx, q)
		if ok || err != nil {
			return books, err
		}
		for far := shortWalk; !known && far <= min(q.Total, longWalk); far *= 8 {
			books, ok, err := s.walkBooks(ctx, q, far)
			if ok || err != nil {
				return books, err
			}
		}
	}
	var a engine.Arguments
	sel := selectBooks(s.dialect, &a, q)
	return s.listBooks(ctx, &a, q, sel)
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
func (s *Store) walkBooks(ctx context.Context, q bookQuery, n int) ([]library.Book, bool, error) {
	order := orderOfBooks(q.Order)
	end, err := s.booksAhead(ctx, q, n)
	if err != nil {
		return nil, false, err
	}
	var a engine.Arguments
	sel := engine.Selection{From: booksAndStock, Where: s.dialect.BookConditions(&a, slices.Concat(q.Terms, q.common), q.Authors)}
	sel.Where = append(sel.Where, stockOfBook)
	filter(&sel, &a, q)
	if q.BorrowedBy != "" {
		sel.Where = append(sel.Where, `EXISTS (SELECT 1 FROM loans WHERE book_id = b.id AND returned_at IS NULL AND user_id = `+a.Add(q.BorrowedBy)+`)`)
	}
	if end != nil {
		sel.Where = append(sel.Where, order.UpTo(&a, end))
	}
	books, err := s.listBooks(ctx, &a, q, sel)
	return books, end == nil || isFull(q, books), err
}

// isFull reports whether a page has all books that it may have.
func isFull(q bookQuery, books []library.Book) bool {
	return q.Limit > 0 && len(books) == q.Limit || q.MaxBytes > 0 && weight(books) >= q.MaxBytes
}

// booksAhead is the place of the book n books after q.After, nil when there
// are fewer.
func (s *Store) booksAhead(ctx context.Context, q bookQuery, n int) ([]any, error) {
	var a engine.Arguments
	order := orderOfBooks(q.Order)
	text := aheadText(&a, q, n)
	place, err := engine.ReadOne(ctx, s.db, "list books", func(r engine.Row) ([]any, error) {
		place := make([]any, len(order.Columns))
		dest := make([]any, len(place))
		for i := range place {
			dest[i] = &place[i]
		}
		return place, r.Scan(dest...)
	}, text, s.dialect.PlannedFor(a)...)
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

func (s *Store) listBooks(ctx context.Context, a *engine.Arguments, q bookQuery, sel engine.Selection) ([]library.Book, error) {
	order, class := orderOfBooks(q.Order), strconv.Itoa(int(q.class))
	if q.Order == library.ByRelevance {
		class = classText(a, q)
		order.Columns = append([]string{class}, order.Columns...)
	}
	tail := order.Page(a, &sel, bookKey(q), q.Limit)
	columns := bookColumns
	if q.KeysOnly {
		columns = order.brief
	}
	columns += `, ` + class
	var books []library.Book
	err := s.db.Read(ctx, engine.Reading{Doing: "list books", Text: sel.Text(columns, tail), Args: s.dialect.PlannedFor(*a), Scan: func(rows engine.Records) error {
		books = nil // the statement may be run again
		for left := q.MaxBytes; (q.MaxBytes == 0 || left > 0) && rows.Next(); {
			var class library.Class
			b, err := scanBookAnd(rows, &class)
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
	return books, s.addViewed(ctx, q.Viewer, books)
}

func weight(books []library.Book) (sum int) {
	for _, b := range books {
		sum += b.Weight()
	}
	return sum
}

// Users returns up to q.Limit users after q.After, by name.
func (s *Store) Users(ctx context.Context, q library.UserQuery) ([]library.User, error) {
	var a engine.Arguments
	sel := selectUsers(s.dialect, &a, q)
	tail := usersByName.Page(&a, &sel, userKey(q.After), q.Limit)
	return engine.Collect(ctx, s.db, "list users", func(r engine.Row) (library.User, error) { return scanUser(r) },
		sel.Text(userColumns, tail), s.dialect.PlannedFor(a)...)
}

// userKey is a place in the order of users, nil for the beginning.
func userKey(c *library.Cursor) []any {
	if c == nil {
		return nil
	}
	return []any{fulltext.Fold(c.LastName), fulltext.Fold(c.FirstName), c.LastName, c.FirstName, c.ID}
}

// CountUsers counts the users that match, whatever q.Limit and q.After.
func (s *Store) CountUsers(ctx context.Context, q library.UserQuery) (int, error) {
	var a engine.Arguments
	sel := selectUsers(s.dialect, &a, q)
	return s.count(ctx, sel.Text(`count(*)`, ""), a)
}

func selectUsers(d *engine.Dialect, a *engine.Arguments, q library.UserQuery) engine.Selection {
	sel := engine.Selection{From: `users`}
	if len(q.Terms) > 0 {
		sel.Where = append(sel.Where, `(seq IN (`+d.FindUsers(a, q.Terms)+`)`+cardConditions(a, q.Cards)+`)`)
	}
	sel.Where = append(sel.Where, inGroup(a, q.Group)...)
	return sel
}

// inGroup is the condition that a user is in a group; "" is for all. The second one is
// what the index is limited to.
func inGroup(a *engine.Arguments, group string) []string {
	if group == "" {
		return nil
	}
	return []string{`group_key = ` + a.Add(library.GroupKey(group)), `group_key <> ''`}
}

// cardConditions are for cards that begin with one of these.
func cardConditions(a *engine.Arguments, starts []string) (or string) {
	for _, card := range starts {
		// DEL sorts after every character of a card.
		or += ` OR card >= ` + a.Add(card) + ` AND card < ` + a.Add(card+"\x7f")
	}
	return or
}
