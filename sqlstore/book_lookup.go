package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// bookReader reads books for BooksByID, in the way that is best for a database.
type bookReader interface {
	byID(ctx context.Context, viewer string, ids []string) ([]library.Book, error)
}

// bookByBook reads one book after the other, where a statement takes no round trip.
type bookByBook struct{ db engine.Engine }

var bookOfViewer = `SELECT ` + bookOnlyColumns + `, ` + viewedColumns + ` FROM ` + viewedBooks(`$1`) + ` WHERE b.id = $2`

func (r bookByBook) byID(ctx context.Context, viewer string, ids []string) ([]library.Book, error) {
	books := make([]library.Book, len(ids))
	for i, id := range ids {
		b, err := engine.ReadOne(ctx, r.db, "read book", func(record engine.Row) (library.Book, error) { return scanViewedBook(record) },
			bookOfViewer, viewer, id)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		books[i] = b
	}
	return books, nil
}

// coalescedBooks lets those who read books at the same time share a statement, and so
// its round trip.
type coalescedBooks struct {
	db engine.Engine
	engine.Coalescing[wantedBook, []library.Book]
}

// wantedBook is a book as somebody is to see it.
type wantedBook struct{ id, viewer string }

func newCoalescedBooks(db engine.Engine) *coalescedBooks {
	r := &coalescedBooks{db: db}
	r.Ask = r.read
	return r
}

func (r *coalescedBooks) byID(ctx context.Context, viewer string, ids []string) ([]library.Book, error) {
	wanted := make([]wantedBook, len(ids))
	for i, id := range ids {
		wanted[i] = wantedBook{id, viewer}
	}
	books, at, err := r.Do(ctx, wanted...)
	if err != nil {
		return nil, r.db.Dialect().Error(ctx, "read books", err)
	}
	return books[at : at+len(ids)], nil
}

// booksOfViewers reads the books $1, each for the viewer at its place in $2.
var booksOfViewers = `SELECT ` + bookOnlyColumns + `, ` + viewedColumns + `, w.place
	FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (id, viewer, place)
		CROSS JOIN ` + viewedBooks(`w.viewer`) + ` WHERE b.id = w.id`

func (r *coalescedBooks) read(ctx context.Context, wanted []wantedBook) ([]library.Book, error) {
	var ids, viewers []string
	for _, w := range wanted {
		ids, viewers = append(ids, w.id), append(viewers, w.viewer)
	}
	books := make([]library.Book, len(wanted))
	scan := func(record engine.Row) error {
		var place int
		b, err := scanViewedBook(record, &place)
		if err == nil {
			books[place-1] = b
		}
		return err
	}
	return books, r.db.ReadPlanned(ctx, engine.Reading{Doing: "read books", Text: booksOfViewers, Args: []any{ids, viewers},
		Scan: func(rows engine.Records) error {
			clear(books) // the statement may be run again
			return engine.Each(scan)(rows)
		}})
}
