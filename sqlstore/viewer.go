package sqlstore

import (
	"context"
	"database/sql"

	"example.org/library"
)

// addViewed adds to books what the viewer is to know of their loans and holds:
// the viewer's own, or the loan of the only one who has the book. It asks nothing
// where there is nothing to know, and otherwise one statement for all books.
func (s *Store) addViewed(ctx context.Context, viewer string, books []library.Book) error {
	at := make(map[string]int) // the place of each book that is lent or held
	var lent, lentOnce, held []string
	for i, b := range books {
		if b.Stock.Lent == 1 {
			lentOnce = append(lentOnce, b.ID)
		} else if b.Stock.Lent > 1 {
			lent = append(lent, b.ID)
		}
		if b.Stock.Waiting+b.Stock.Ready > 0 {
			held = append(held, b.ID)
		}
		at[b.ID] = i
	}
	if viewer == "" {
		lent, held = nil, nil
	}
	if len(lent)+len(lentOnce)+len(held) == 0 {
		return nil
	}
	text, a := viewedText(&s.dialect, viewer, lent, lentOnce, held)
	rows, err := s.read.QueryContext(ctx, text, s.plannedFor(a)...)
	if err != nil {
		return dbError(ctx, "read loans of books", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r viewedRow
		l, h, err := r.scan(rows)
		if err != nil {
			return dbError(ctx, "read loans of books", err)
		}
		if b := &books[at[r.book.id.String]]; h != nil {
			b.Hold = h
		} else {
			b.Loan = l
		}
	}
	return dbError(ctx, "read loans of books", rows.Err())
}

// viewedText leaves out what it has no books for.
func viewedText(d *dialect, viewer string, lent, lentOnce, held []string) (string, arguments) {
	const (
		loans = `SELECT 'loan', l.id, l.book_id, l.book_title, l.book_authors, l.copy_id, c.barcode, u.id, u.first_name, u.last_name, u.version,
			l.borrowed_at, l.due_at, l.renewals, 0
			FROM loans l JOIN users u ON u.id = l.user_id LEFT JOIN copies c ON c.id = l.copy_id WHERE l.returned_at IS NULL AND l.book_id `
		holds = `SELECT h.state, h.id, h.book_id, h.book_title, h.book_authors, h.copy_id, c.barcode, u.id, u.first_name, u.last_name, u.version,
			h.created_at, h.until_at, ` + position + `, h.seq
			FROM holds h JOIN users u ON u.id = h.user_id LEFT JOIN copies c ON c.id = h.copy_id WHERE h.ended_at IS NULL AND h.book_id `
	)
	var a arguments
	var text string
	add := func(part string) {
		if text != "" {
			text += ` UNION ALL `
		}
		text += part
	}
	if len(lentOnce) > 0 {
		add(loans + d.among(a.add(d.list(lentOnce))))
	}
	if len(lent) > 0 {
		add(loans + d.among(a.add(d.list(lent))) + ` AND l.user_id = ` + a.add(viewer))
	}
	if len(held) > 0 {
		add(holds + d.among(a.add(d.list(held))) + ` AND h.user_id = ` + a.add(viewer))
	}
	return text, a
}

// viewedRow is a loan, or a hold with its state.
type viewedRow struct {
	what, id        string
	book            refRow
	copyID, barcode sql.NullString
	person          personRow
	since           int64
	until           sql.NullInt64
	renewalsOrPlace int
	seq             int64
}

func (r *viewedRow) scan(rows *sql.Rows) (*library.Loan, *library.Hold, error) {
	dest := append([]any{&r.what, &r.id}, r.book.dest()...)
	dest = append(dest, &r.copyID, &r.barcode)
	dest = append(dest, r.person.dest()...)
	if err := rows.Scan(append(dest, &r.since, &r.until, &r.renewalsOrPlace, &r.seq)...); err != nil {
		return nil, nil, err
	}
	ref, err := r.book.ref()
	if err != nil {
		return nil, nil, err
	}
	if r.what == "loan" {
		return &library.Loan{
			ID: r.id, Book: ref, CopyID: r.copyID.String, Barcode: r.barcode.String, Borrower: r.person.person(),
			Since: fromMicro(r.since), Due: fromNullMicro(r.until), Renewals: r.renewalsOrPlace,
		}, nil, nil
	}
	return nil, &library.Hold{
		ID: r.id, Book: ref, CopyID: r.copyID.String, Barcode: r.barcode.String, Holder: r.person.person(),
		State: library.HoldState(r.what), Seq: r.seq, Position: r.renewalsOrPlace,
		Created: fromMicro(r.since), Until: fromNullMicro(r.until),
	}, nil
}
