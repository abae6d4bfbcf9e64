package sqlstore

import (
	"database/sql"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// The columns of a book's stock, in the order of stockRow. Counted numbers are in
// a table of their own, so lists need not count: see the migration.
const (
	stockColumns = `s.copies, s.available, s.waiting, s.lent, s.ready, s.borrowed, s.due_at, s.shelves`
	// noStockColumns are for books without stock.
	noStockColumns = `0, 0, 0, 0, 0, false, NULL, '[]'`
)

type stockRow struct {
	library.Stock
	due     sql.NullInt64
	shelves []byte
}

func (r *stockRow) dest() []any {
	return []any{&r.Copies, &r.Available, &r.Waiting, &r.Lent, &r.Ready, &r.Borrowed, &r.due, &r.shelves}
}

// addTo adds the stock to its book. The database knows nothing of the order of
// shelves.
func (r *stockRow) addTo(b *library.Book) error {
	shelves, err := engine.ParseList[string](r.shelves)
	b.Stock, b.Shelves = r.Stock, library.OrderShelves(shelves)
	b.Stock.Due = engine.FromNullMicro(r.due)
	return err
}

// saveStock writes the stock of a book. The shelves in it are written by a trigger,
// whenever a copy changes.
func (w *writer) saveStock(d library.Decision) {
	s := d.Stock
	w.exec("save stock", `
		UPDATE stock SET copies = $2, available = $3, waiting = $4, lent = $5, ready = $6,
			borrowed = $7, due_at = $8
		WHERE seq = (SELECT seq FROM books WHERE id = $1)`,
		d.BookID, s.Copies, s.Available, s.Waiting, s.Lent, s.Ready, s.Borrowed, engine.MicroOrNull(s.Due))
}
