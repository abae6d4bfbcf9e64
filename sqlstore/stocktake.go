package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/stocktake"
)

var _ stocktake.Store = (*Store)(nil)

const stocktakeColumns = `seq, id, name, shelves, started_at, closed_at, again, marked, numbers`

// remains matches the rows sc of copies c of which nothing is known since the start of an open stocktake.
const remains = `sc.outcome IS NULL AND sc.touched = c.touched`

var stocktakesByStart = engine.Ordering{Columns: []string{`started_at`, `id`}, Descending: true}

// stocktakeRow is the stocktakeColumns of a row.
type stocktakeRow struct {
	stocktake.Stocktake
	seq   int64
	again int
}

func scanStocktake(record engine.Row) (stocktakeRow, error) {
	var r stocktakeRow
	var shelves, numbers []byte
	var started int64
	var closed sql.NullInt64
	if err := record.Scan(&r.seq, &r.ID, &r.Name, &shelves, &started, &closed, &r.again, &r.Marked, &numbers); err != nil {
		return r, err
	}
	r.Started, r.Closed = engine.FromMicro(started), engine.FromNullMicro(closed)
	var err error
	if r.Shelves, err = engine.ParseList[string](shelves); err == nil && len(numbers) > 0 {
		err = json.Unmarshal(numbers, &r.Numbers)
	}
	return r, err
}

func readStocktake(ctx context.Context, from engine.Reader, id, lock string) (stocktakeRow, error) {
	r, err := engine.ReadOne(ctx, from, "read stocktake", scanStocktake, `SELECT `+stocktakeColumns+` FROM stocktakes WHERE id = $1`+lock, id)
	if errors.Is(err, sql.ErrNoRows) {
		err = library.ErrStocktakeNotFound
	}
	return r, err
}

// Stocktake returns one stocktake with its numbers.
func (s *Store) Stocktake(ctx context.Context, id string) (stocktake.Stocktake, error) {
	r, err := readStocktake(ctx, s.db, id, "")
	if err != nil {
		return stocktake.Stocktake{}, err
	}
	return counted(ctx, s.db, r)
}

// Stocktakes returns up to q.Limit stocktakes after q.After, the newest first.
func (s *Store) Stocktakes(ctx context.Context, q stocktake.Query) ([]stocktake.Stocktake, error) {
	var a engine.Arguments
	sel := engine.Selection{From: `stocktakes`}
	var after []any
	if q.After != nil {
		after = []any{q.After.Created.UnixMicro(), q.After.ID}
	}
	tail := stocktakesByStart.Page(&a, &sel, after, q.Limit)
	rows, err := engine.Collect(ctx, s.db, "list stocktakes", scanStocktake, sel.Text(stocktakeColumns, tail), a...)
	list := make([]stocktake.Stocktake, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		list[i], err = counted(ctx, s.db, rows[i])
	}
	return list, err
}

// CountStocktakes counts all stocktakes.
func (s *Store) CountStocktakes(ctx context.Context) (int, error) {
	return engine.ReadOne(ctx, s.db, "count stocktakes", engine.ScanNumber, `SELECT count(*) FROM stocktakes`)
}

// counted adds its numbers to a stocktake. A closed one has them.
func counted(ctx context.Context, from engine.Reader, r stocktakeRow) (stocktake.Stocktake, error) {
	if r.State() == stocktake.Closed {
		return r.Stocktake, nil
	}
	n := stocktake.Numbers{Marked: r.Marked, Counts: map[stocktake.Outcome]int{stocktake.Again: r.again}}
	err := from.Read(ctx, engine.Reading{Doing: "count stocktake", Text: `
		SELECT coalesce(sc.outcome, ''), count(*), count(sc.touched), sum(CASE WHEN sc.away THEN 1 ELSE 0 END), sum(CASE WHEN ` + remains + ` THEN 1 ELSE 0 END)
		FROM stocktake_copies sc JOIN copies c ON c.seq = sc.copy WHERE sc.stocktake = $1 GROUP BY 1`, Args: []any{r.seq}, Scan: engine.Each(func(record engine.Row) error {
		var outcome stocktake.Outcome
		var copies, expected, away, remaining int
		err := record.Scan(&outcome, &copies, &expected, &away, &remaining)
		n.Counts[outcome] = copies
		n.Expected, n.Away, n.Remaining = n.Expected+expected, n.Away+away, n.Remaining+remaining
		return err
	})})
	if err != nil {
		return r.Stocktake, err
	}
	n.Remaining += n.Counts[stocktake.Remaining] // of one that is being closed
	n.Counts[stocktake.Unknown], err = countCodes(ctx, from, r.seq)
	delete(n.Counts, "")
	delete(n.Counts, stocktake.Remaining)
	r.Numbers = n
	return r.Stocktake, err
}

func countCodes(ctx context.Context, from engine.Reader, seq int64) (int, error) {
	return engine.ReadOne(ctx, from, "count codes", engine.ScanNumber, `SELECT count(*) FROM stocktake_codes WHERE stocktake = $1`, seq)
}

// ofStocktake is the number of the stocktake with an identifier at a place.
func ofStocktake(place string) string { return `(SELECT seq FROM stocktakes WHERE id = ` + place + `)` }

// inStocktake returns the condition for the copies c with an outcome.
func inStocktake(a *engine.Arguments, id string, outcome stocktake.Outcome) string {
	in := `c.seq IN (SELECT sc.copy FROM stocktake_copies sc JOIN copies c ON c.seq = sc.copy WHERE sc.stocktake = ` + ofStocktake(a.Add(id)) + ` AND `
	switch outcome {
	case stocktake.Remaining:
		return in + `(` + remains + ` OR sc.outcome = 'remaining'))`
	case stocktake.Away:
		return in + `sc.away)`
	}
	return in + `sc.outcome = ` + a.Add(string(outcome)) + `)`
}

// ScannedAt returns when copies were first scanned.
func (s *Store) ScannedAt(ctx context.Context, id string, copyIDs []string) (map[string]time.Time, error) {
	at := map[string]time.Time{}
	a := engine.Arguments{id}
	err := s.db.Read(ctx, engine.Reading{Doing: "read scans", Text: `
		SELECT c.id, sc.scanned_at FROM copies c JOIN stocktake_copies sc ON sc.copy = c.seq
		WHERE sc.scanned_at IS NOT NULL AND sc.stocktake = ` + ofStocktake(`$1`) + ` AND c.id ` + s.dialect.Among(a.Add(s.dialect.List(copyIDs))),
		Args: a, Scan: engine.Each(func(record engine.Row) error {
			var copyID string
			var scanned int64
			err := record.Scan(&copyID, &scanned)
			at[copyID] = engine.FromMicro(scanned)
			return err
		})})
	return at, err
}

// Codes lists the codes of no copy.
func (s *Store) Codes(ctx context.Context, q stocktake.EntryQuery) ([]stocktake.Entry, error) {
	a := engine.Arguments{q.StocktakeID}
	sel := engine.Selection{From: `stocktake_codes`, Where: []string{`stocktake = ` + ofStocktake(`$1`)}}
	if q.After != nil {
		sel.Where = append(sel.Where, `code > (SELECT code FROM stocktake_codes WHERE seq = `+a.Add(q.After.Seq)+`)`)
	}
	tail := engine.Ordering{Columns: []string{`code`}}.Page(&a, &sel, nil, q.Limit)
	return engine.Collect(ctx, s.db, "list codes", func(record engine.Row) (stocktake.Entry, error) {
		e := stocktake.Entry{Outcome: stocktake.Unknown}
		var code []byte
		var scanned int64
		err := record.Scan(&e.Seq, &code, &scanned)
		e.Code, e.Scanned = string(code), engine.FromMicro(scanned)
		return e, err
	}, sel.Text(`seq, code, scanned_at`, tail), a...)
}

// CountCodes counts the codes of no copy.
func (s *Store) CountCodes(ctx context.Context, id string) (int, error) {
	return engine.ReadOne(ctx, s.db, "count codes", engine.ScanNumber, `SELECT count(*) FROM stocktake_codes WHERE stocktake = `+ofStocktake(`$1`), id)
}

// Swaps pairs loans of copies on the shelf with copies that nobody found.
func (s *Store) Swaps(ctx context.Context, id string) ([]stocktake.Swap, error) {
	return engine.Collect(ctx, s.db, "find swaps", func(record engine.Row) (w stocktake.Swap, err error) {
		err = record.Scan(&w.LoanID, &w.Scanned.ID, &w.Free.ID)
		return w, err
	}, `WITH lent AS (
			SELECT l.id AS loan, c.id, c.book_id, row_number() OVER (PARTITION BY c.book_id ORDER BY c.seq) AS place
			FROM stocktake_copies sc JOIN copies c ON c.seq = sc.copy JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL
			WHERE sc.stocktake = `+ofStocktake(`$1`)+` AND sc.outcome = 'lent'),
		free AS (
			SELECT c.id, c.book_id, row_number() OVER (PARTITION BY c.book_id ORDER BY c.seq) AS place
			FROM copies c JOIN stocktake_copies sc ON sc.copy = c.seq AND sc.stocktake = `+ofStocktake(`$1`)+`
			WHERE c.book_id IN (SELECT book_id FROM lent) AND c.state = 'lendable' AND `+remains+`)
		SELECT lent.loan, lent.id, free.id FROM lent JOIN free ON free.book_id = lent.book_id AND free.place = lent.place
		ORDER BY lent.book_id, lent.place`, id)
}
