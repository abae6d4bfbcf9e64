package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// A book for a viewer: how many copies there are, the loan l and the
// hold h of the viewer, or the loan of the only person who has the book; of several loans the one due
// first. All of it is read by one statement, so it fits together.
const (
	viewedColumns = stockColumns + `,
		l.id, l.copy_id, lc.barcode, lu.id, lu.first_name, lu.last_name, lu.group_name, lu.version,
		l.borrowed_at, l.due_at, l.claimed_at, l.renewals,
		h.id, h.copy_id, hc.barcode, hu.id, hu.first_name, hu.last_name, hu.group_name, hu.version,
		h.state, h.seq, ` + position + `, h.until_at, h.created_at, ` + readersOfBook
	// readersOfBook are the borrowers of a book and the people in its queue, if they are not many.
	readersOfBook = `CASE WHEN s.lent + s.waiting + s.ready BETWEEN 1 AND 50 THEN
		coalesce((SELECT string_agg(user_id, ' ') FROM loans WHERE book_id = b.id AND returned_at IS NULL), '') || ' ' ||
		coalesce((SELECT string_agg(user_id, ' ') FROM holds WHERE book_id = b.id AND ended_at IS NULL), '') END`
)

// viewedBooks are the tables of the viewedColumns, for the viewer at a place.
func viewedBooks(viewer string) string {
	return `books b JOIN stock s ON s.seq = b.seq
		LEFT JOIN loans l ON l.id = CASE WHEN s.lent > 0 THEN (SELECT x.id FROM loans x
			WHERE x.book_id = b.id AND x.returned_at IS NULL AND (x.user_id = ` + viewer + ` OR NOT EXISTS (
				SELECT 1 FROM loans y WHERE y.book_id = b.id AND y.returned_at IS NULL AND y.user_id <> x.user_id))
			ORDER BY coalesce(x.due_at, 9223372036854775807), x.borrowed_at, x.id LIMIT 1) END
		LEFT JOIN copies lc ON lc.id = l.copy_id LEFT JOIN users lu ON lu.id = l.user_id
		LEFT JOIN holds h ON h.book_id = b.id AND h.ended_at IS NULL AND h.user_id = ` + viewer + `
		LEFT JOIN copies hc ON hc.id = h.copy_id LEFT JOIN users hu ON hu.id = h.user_id`
}

var bookOfViewer = `SELECT ` + bookOnlyColumns + `, ` + viewedColumns + ` FROM ` + viewedBooks(`$1`) + ` WHERE b.id = $2`

// Book returns one book. Its many tables take PostgreSQL longer to plan than to read, so
// the plan is cached.
func (s *Store) Book(ctx context.Context, id, viewer string) (library.Book, error) {
	var found *library.Book
	err := s.db.ReadPlanned(ctx, engine.Reading{Doing: "read book", Text: bookOfViewer, Args: []any{viewer, id}, Scan: engine.First(&found, scanViewedBook)})
	if err == nil && found == nil {
		err = library.ErrBookNotFound
	}
	if err != nil {
		return library.Book{}, err
	}
	return *found, nil
}

// scanViewedBook reads the bookOnlyColumns and viewedColumns of a row.
func scanViewedBook(record engine.Row) (library.Book, error) {
	var b bookRow
	var r viewedRow
	if err := record.Scan(b.dest(r.dest()...)...); err != nil {
		return library.Book{}, err
	}
	found, err := b.book()
	return found, errors.Join(err, r.addTo(&found))
}

// addViewed adds the viewer's loans and holds to books with stock.
// It sends no statement where there are none, and otherwise one for all books. Its many
// tables take PostgreSQL longer to plan than to read, so the plan is cached.
func (s *Store) addViewed(ctx context.Context, viewer string, books []library.Book) error {
	at := make(map[string]int) // the place of each book that is lent or held
	var busy []string
	for i, b := range books {
		if b.Stock.Lent+b.Stock.Waiting+b.Stock.Ready > 0 {
			at[b.ID] = i
			busy = append(busy, b.ID)
		}
	}
	if len(busy) == 0 {
		return nil
	}
	a := engine.Arguments{viewer}
	text := `SELECT b.id, ` + viewedColumns + ` FROM ` + viewedBooks(`$1`) + ` WHERE b.id ` + s.dialect.Among(a.Add(s.dialect.List(busy)))
	return s.db.ReadPlanned(ctx, engine.Reading{Doing: "read loans of books", Text: text, Args: a, Scan: func(rows engine.Records) error {
		for rows.Next() {
			var id string
			var r viewedRow
			if err := rows.Scan(append([]any{&id}, r.dest()...)...); err != nil {
				return err
			}
			if err := r.addTo(&books[at[id]]); err != nil {
				return err
			}
		}
		return rows.Err()
	}})
}

// viewedRow is the viewedColumns of a row.
type viewedRow struct {
	stock                     stockRow
	loanID, holdID, holdState sql.NullString
	loanCopy, holdCopy        copyRef
	borrower, holder          personRow
	since, due, claimed       sql.NullInt64
	renewals                  sql.NullInt64
	seq, place, until, placed sql.NullInt64
	readers                   sql.NullString
}

// copyRef is a copy as a loan or a hold names it.
type copyRef struct{ id, barcode sql.NullString }

func (r *viewedRow) dest() []any {
	dest := append(make([]any, 0, 64), r.stock.dest()...)
	dest = append(append(dest, &r.loanID, &r.loanCopy.id, &r.loanCopy.barcode), r.borrower.dest()...)
	dest = append(dest, &r.since, &r.due, &r.claimed, &r.renewals)
	dest = append(append(dest, &r.holdID, &r.holdCopy.id, &r.holdCopy.barcode), r.holder.dest()...)
	return append(dest, &r.holdState, &r.seq, &r.place, &r.until, &r.placed, &r.readers)
}

// addTo adds what was read to its book, under whose title loans and holds are
// shown.
func (r *viewedRow) addTo(b *library.Book) error {
	b.Readers = strings.Fields(r.readers.String)
	ref := library.BookRef{ID: b.ID, Title: b.Title, Authors: b.Authors}
	if r.loanID.Valid {
		b.Loan = &library.Loan{
			ID: r.loanID.String, Book: ref, CopyID: r.loanCopy.id.String, Barcode: r.loanCopy.barcode.String, Borrower: r.borrower.person(),
			Since: engine.FromNullMicro(r.since), Due: engine.FromNullMicro(r.due), Renewals: int(r.renewals.Int64), Claimed: engine.FromNullMicro(r.claimed), Kind: b.Kind,
		}
	}
	if r.holdID.Valid {
		b.Hold = &library.Hold{
			ID: r.holdID.String, Book: ref, CopyID: r.holdCopy.id.String, Barcode: r.holdCopy.barcode.String, Holder: r.holder.person(),
			State: library.HoldState(r.holdState.String), Seq: r.seq.Int64, Position: int(r.place.Int64),
			Until: engine.FromNullMicro(r.until), Created: engine.FromNullMicro(r.placed),
		}
	}
	return r.stock.addTo(b)
}
