package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/stocktake"
)

// stocktakeTx is the part of a transaction about stocktakes.
type stocktakeTx struct{ *tx }

// StocktakeTx returns the part of a transaction of this store that is about stocktakes.
func (s *Store) StocktakeTx(t library.Tx) stocktake.Tx { return stocktakeTx{t.(*tx)} }

// Stocktake returns a stocktake, and locks it.
func (t stocktakeTx) Stocktake(ctx context.Context, id string) (stocktake.Stocktake, error) {
	t.changes.past = true
	r, err := readStocktake(ctx, t.sql, id, t.dialect.ForUpdate)
	return r.Stocktake, err
}

// OpenStocktakes returns the stocktakes that go on.
func (t stocktakeTx) OpenStocktakes(ctx context.Context) (open []stocktake.Stocktake, err error) {
	t.changes.past = true
	rows, err := engine.Collect(ctx, t.sql, "list stocktakes", scanStocktake, `SELECT `+stocktakeColumns+` FROM stocktakes WHERE closed_at IS NULL`)
	for _, r := range rows {
		open = append(open, r.Stocktake)
	}
	return open, err
}

// Start adds a stocktake, and its copies with one statement.
func (t stocktakeTx) Start(ctx context.Context, s stocktake.Stocktake) (stocktake.Numbers, error) {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("add stocktake", `INSERT INTO stocktakes (id, name, shelves, started_at) VALUES ($1, $2, $3, $4)`,
		s.ID, s.Name, engine.FormatList(s.Shelves), s.Started.UnixMicro())
	a := engine.Arguments{s.ID}
	on := ``
	if s.Shelves != nil {
		on = ` AND c.shelf ` + t.dialect.Among(a.Add(t.dialect.List(s.Shelves)))
	}
	w.exec("fix copies", `
		INSERT INTO stocktake_copies (stocktake, copy, touched, away)
		SELECT s.seq, c.seq, CASE WHEN l.id IS NULL AND h.id IS NULL THEN c.touched END, l.id IS NOT NULL OR h.id IS NOT NULL
		FROM stocktakes s CROSS JOIN copies c LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL LEFT JOIN holds h ON h.copy_id = c.id
		WHERE s.id = $1 AND (c.state IN ('lendable', 'reference') OR l.id IS NOT NULL OR h.id IS NOT NULL)`+on+` ORDER BY c.seq`, a...)
	if w.err != nil {
		return stocktake.Numbers{}, w.err
	}
	return t.numbers(ctx, s.ID)
}

func (t stocktakeTx) numbers(ctx context.Context, id string) (stocktake.Numbers, error) {
	r, err := readStocktake(ctx, t.sql, id, "")
	if err != nil {
		return stocktake.Numbers{}, err
	}
	s, err := counted(ctx, t.sql, r)
	return s.Numbers, err
}

const placeColumns = `c.seq, c.id, c.book_id, coalesce(c.barcode, ''), coalesce(sc.outcome, 'remaining') <> 'remaining'`

func scanPlace(record engine.Row) (p stocktake.Place, err error) {
	err = record.Scan(&p.Seq, &p.CopyID, &p.BookID, &p.Barcode, &p.Scanned)
	return p, err
}

// Find returns copies, after the locks of their books.
func (t stocktakeTx) Find(ctx context.Context, id string, barcodes, copyIDs []string) ([]stocktake.Place, error) {
	var a engine.Arguments
	isOne := `(c.barcode ` + t.dialect.Among(a.Add(t.dialect.List(barcodes))) + ` OR c.id ` + t.dialect.Among(a.Add(t.dialect.List(copyIDs))) + `)`
	if t.dialect.LocksRecords() {
		if _, err := t.lockBooksOf(ctx, `SELECT c.book_id FROM copies c WHERE `+isOne, a); err != nil {
			return nil, err
		}
	}
	return engine.Collect(ctx, t.sql, "find copies", scanPlace, `SELECT `+placeColumns+` FROM copies c
		LEFT JOIN stocktake_copies sc ON sc.copy = c.seq AND sc.stocktake = `+ofStocktake(a.Add(id))+` WHERE `+isOne, t.dialect.PlannedFor(a)...)
}

// lockBooksOf locks and returns books, as a statement returns their identifiers, in the order of everybody.
func (t stocktakeTx) lockBooksOf(ctx context.Context, books string, a engine.Arguments) ([]string, error) {
	return engine.Collect(ctx, t.sql, "lock books", engine.ScanText, `SELECT id FROM books WHERE id IN (`+books+`) ORDER BY created_at, id`+t.dialect.ForUpdate,
		t.dialect.PlannedFor(a)...)
}

// Record writes scans.
func (t stocktakeTx) Record(ctx context.Context, id string, at time.Time, first []stocktake.Scanned, unknown []string, again int) error {
	w := writer{ctx: ctx, tx: t.sql}
	for _, s := range first {
		w.exec("record scan", `INSERT INTO stocktake_copies (stocktake, copy, outcome, scanned_at) VALUES (`+ofStocktake(`$1`)+`, $2, $3, $4)
			ON CONFLICT (stocktake, copy) DO UPDATE SET outcome = excluded.outcome, scanned_at = excluded.scanned_at`, id, s.Seq, string(s.Outcome), at.UnixMicro())
	}
	for _, code := range unknown {
		w.exec("record code", `INSERT INTO stocktake_codes (stocktake, code, scanned_at) VALUES (`+ofStocktake(`$1`)+`, $2, $3)
			ON CONFLICT (stocktake, code) DO NOTHING`, id, []byte(code), at.UnixMicro())
	}
	if again > 0 {
		w.exec("count scans", `UPDATE stocktakes SET again = again + $2 WHERE id = $1`, id, again)
	}
	return w.err
}

// Copies returns copies by their identifiers.
func (t stocktakeTx) Copies(ctx context.Context, ids []string, now time.Time) (map[string]library.Copy, error) {
	copies, err := listCopies(ctx, t.sql, t.dialect, library.CopyQuery{IDs: ids, Now: now})
	byID := make(map[string]library.Copy, len(copies))
	for _, c := range copies {
		byID[c.ID] = c
	}
	return byID, err
}

// Left returns copies that remain, after the locks of their books.
func (t stocktakeTx) Left(ctx context.Context, id string, most int) ([]stocktake.Place, error) {
	from := ` FROM stocktake_copies sc JOIN copies c ON c.seq = sc.copy WHERE sc.stocktake = ` + ofStocktake(`$1`) + ` AND ` + remains
	some := ` ORDER BY sc.copy LIMIT $2`
	for {
		var a = engine.Arguments{id, most}
		text := `SELECT ` + placeColumns + from
		if t.dialect.LocksRecords() {
			books, err := t.lockBooksOf(ctx, `SELECT c.book_id`+from+some, a)
			if err != nil || len(books) == 0 {
				return nil, err
			}
			text += ` AND c.book_id ` + t.dialect.Among(a.Add(t.dialect.List(books)))
		}
		left, err := engine.Collect(ctx, t.sql, "find what remains", scanPlace, text+some, a...)
		if err != nil || len(left) > 0 || !t.dialect.LocksRecords() {
			return left, err
		}
	}
}

// Mark records that copies became missing.
func (t stocktakeTx) Mark(ctx context.Context, id string, left []stocktake.Place) error {
	w := writer{ctx: ctx, tx: t.sql}
	for _, p := range left {
		w.exec("record missing", `UPDATE stocktake_copies SET outcome = 'remaining' WHERE stocktake = `+ofStocktake(`$1`)+` AND copy = $2`, id, p.Seq)
	}
	w.exec("count missing", `UPDATE stocktakes SET marked = marked + $2 WHERE id = $1`, id, len(left))
	return w.err
}

// Close ends a stocktake with its numbers.
func (t stocktakeTx) Close(ctx context.Context, id string, at time.Time) (stocktake.Stocktake, error) {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("record what remains", `UPDATE stocktake_copies AS sc SET outcome = 'remaining' FROM copies c
		WHERE c.seq = sc.copy AND sc.stocktake = `+ofStocktake(`$1`)+` AND `+remains, id)
	if w.err != nil {
		return stocktake.Stocktake{}, w.err
	}
	n, err := t.numbers(ctx, id)
	if err != nil {
		return stocktake.Stocktake{}, err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return stocktake.Stocktake{}, err
	}
	w.exec("close stocktake", `UPDATE stocktakes SET closed_at = $2, numbers = $3 WHERE id = $1`, id, at.UnixMicro(), string(text))
	if w.err != nil {
		return stocktake.Stocktake{}, w.err
	}
	return t.Stocktake(ctx, id)
}

// Delete removes a stocktake with its scans.
func (t stocktakeTx) Delete(ctx context.Context, id string) error {
	w := writer{ctx: ctx, tx: t.sql}
	for _, table := range []string{`stocktake_copies`, `stocktake_codes`} {
		w.exec("delete scans", `DELETE FROM `+table+` WHERE stocktake = `+ofStocktake(`$1`), id)
	}
	w.exec("delete stocktake", `DELETE FROM stocktakes WHERE id = $1`, id)
	return w.err
}
