package sqlstore

import (
	"context"
	"database/sql"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
	"example.org/library/stocktake"
)

// copiesByShelf folds only the case of A to Z in shelves: both databases can do this without a column for it.
var copiesByShelf = engine.Ordering{Columns: []string{
	`(c.shelf = '')`, `lower(c.shelf)`, `c.shelf`, `b.title_key`, `b.title`, `coalesce(c.barcode, '')`, `c.id`,
}}

const booksOfCopies = `copies c JOIN books b ON b.id = c.book_id`

// ListCopies returns up to q.Limit copies after q.After.
func (s *Store) ListCopies(ctx context.Context, q library.CopyQuery) ([]library.Copy, error) {
	return listCopies(ctx, s.db, s.dialect, q)
}

func listCopies(ctx context.Context, from engine.Reader, d *engine.Dialect, q library.CopyQuery) ([]library.Copy, error) {
	a := engine.Arguments{q.Now.UnixMicro()} // for the renewalColumns
	sel := engine.Selection{From: booksOfCopies + lentPeople + heldPeople, Where: copyConditions(d, &a, q)}
	tail := copiesByShelf.Page(&a, &sel, shelfKey(q.After), q.Limit)
	return engine.Collect(ctx, from, "list copies", scanListedCopy, sel.Text(copyColumns+`, b.id, b.title, b.authors, b.kind, `+renewalColumns, tail), d.PlannedFor(a)...)
}

// CopyPlaces returns the same copies with the fields of their cursors alone.
func (s *Store) CopyPlaces(ctx context.Context, q library.CopyQuery) ([]library.Copy, error) {
	var a engine.Arguments
	sel := engine.Selection{From: booksOfCopies, Where: copyConditions(s.dialect, &a, q)}
	tail := copiesByShelf.Page(&a, &sel, shelfKey(q.After), q.Limit)
	return engine.Collect(ctx, s.db, "list copies", func(r engine.Row) (c library.Copy, err error) {
		var barcode sql.NullString
		err = r.Scan(&c.ID, &c.Shelf, &barcode, &c.Book.Title)
		c.Barcode = barcode.String
		return c, err
	}, sel.Text(`c.id, c.shelf, c.barcode, b.title`, tail), s.dialect.PlannedFor(a)...)
}

// CountCopies counts the matching copies, whatever q.Limit and q.After.
func (s *Store) CountCopies(ctx context.Context, q library.CopyQuery) (int, error) {
	var a engine.Arguments
	sel := engine.Selection{From: `copies c`, Where: copyConditions(s.dialect, &a, q)}
	if q.StocktakeID != "" {
		return s.counts.Anew(ctx, sel.Text(`count(*)`, ""), a)
	}
	return s.counts.Cached(ctx, sel.Text(`count(*)`, ""), a)
}

// shelfKey is a place in the order of copies, nil for the beginning.
func shelfKey(c *library.Cursor) []any {
	if c == nil {
		return nil
	}
	return []any{c.Shelf == "", lowerASCII(c.Shelf), c.Shelf, fulltext.Fold(c.Title), c.Title, c.Barcode, c.ID}
}

// lowerASCII is lower() of both databases.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

func copyConditions(d *engine.Dialect, a *engine.Arguments, q library.CopyQuery) (where []string) {
	equal := func(column, value string) {
		if value != "" {
			where = append(where, column+` = `+a.Add(value))
		}
	}
	equal(`c.state`, string(q.State))
	equal(`c.shelf`, q.Shelf)
	equal(`c.book_id`, q.BookID)
	if q.IDs != nil {
		where = append(where, `c.id `+d.Among(a.Add(d.List(q.IDs))))
	}
	if q.StocktakeID != "" {
		where = append(where, inStocktake(a, q.StocktakeID, stocktake.Outcome(q.Outcome)))
	}
	if !q.SeenBefore.IsZero() {
		where = append(where, `(c.seen_at IS NULL OR c.seen_at < `+a.Add(q.SeenBefore.UnixMicro())+`)`)
	}
	if q.NeverLent != nil {
		lent := `EXISTS (SELECT 1 FROM loans past WHERE past.copy_id = c.id)`
		if *q.NeverLent {
			lent = `NOT ` + lent
		}
		where = append(where, lent)
	}
	return where
}

// scanListedCopy reads a copy with its book.
func scanListedCopy(record engine.Row) (library.Copy, error) {
	var (
		r       copyRow
		book    refRow
		kind    string
		awaited int
		overdue bool
	)
	if err := record.Scan(append(append(r.dest(), book.dest()...), &kind, &awaited, &overdue)...); err != nil {
		return library.Copy{}, err
	}
	c, err := r.copy()
	if err != nil {
		return c, err
	}
	if c.Loan != nil {
		c.Loan.Kind, c.Loan.Awaited, c.Loan.BorrowerOverdue = kind, awaited, overdue
	}
	c.Book, err = book.ref()
	return c, err
}
