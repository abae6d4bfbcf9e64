package sqlstore

import (
	"context"

	"example.org/library"
)

// sharedBooks lets those who read books at the same time share a statement.
type sharedBooks struct {
	pool *pool
	shared[wantedBook, []library.Book]
}

// wantedBook is a book as somebody is to see it.
type wantedBook struct{ id, viewer string }

func newSharedBooks(p *pool) *sharedBooks {
	s := &sharedBooks{pool: p}
	s.ask = s.read
	return s
}

// byID is BooksByID.
func (s *sharedBooks) byID(ctx context.Context, viewer string, ids []string) ([]library.Book, error) {
	wanted := make([]wantedBook, len(ids))
	for i, id := range ids {
		wanted[i] = wantedBook{id, viewer}
	}
	books, at, err := s.do(ctx, wanted...)
	if err != nil {
		return nil, dbError(ctx, "read books", err)
	}
	return books[at : at+len(ids)], nil
}

// booksShared reads the books $1, each for the viewer at its place in $2.
var booksShared = `SELECT ` + bookOnlyColumns + `, ` + viewedColumns + `, w.place
	FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (id, viewer, place)
		CROSS JOIN ` + viewedBooks(`w.viewer`) + ` WHERE b.id = w.id`

func (s *sharedBooks) read(ctx context.Context, wanted []wantedBook) ([]library.Book, error) {
	var ids, viewers []string
	for _, w := range wanted {
		ids, viewers = append(ids, w.id), append(viewers, w.viewer)
	}
	books := make([]library.Book, len(wanted))
	return books, s.pool.askPlanned(ctx, reading{"read books", booksShared, []any{ids, viewers}, func(rows records) error {
		clear(books) // the statement may be run again
		return each(func(record row) error {
			var place int
			b, err := scanViewedBook(record, &place)
			if err == nil {
				books[place-1] = b
			}
			return err
		})(rows)
	}})
}
