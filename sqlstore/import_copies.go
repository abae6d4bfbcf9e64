package sqlstore

import (
	"context"
	"encoding/json"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// FindCopies says which books have the barcodes, and how many copies books have.
func (s *Store) FindCopies(ctx context.Context, barcodes, bookIDs []string) (library.FoundCopies, error) {
	return findCopies(ctx, s.db, s.dialect, barcodes, bookIDs)
}

func (t *tx) FindCopies(ctx context.Context, barcodes, bookIDs []string) (library.FoundCopies, error) {
	return findCopies(ctx, t.sql, t.dialect, barcodes, bookIDs)
}

func findCopies(ctx context.Context, q engine.Reader, d *engine.Dialect, barcodes, bookIDs []string) (library.FoundCopies, error) {
	found := library.FoundCopies{Owner: map[string]string{}, Count: map[string]int{}}
	var a engine.Arguments
	text := `SELECT barcode, book_id FROM copies WHERE barcode ` + d.Among(a.Add(d.List(barcodes)))
	_, err := engine.Collect(ctx, q, "find barcodes", func(record engine.Row) (code string, err error) {
		var book string
		if err = record.Scan(&code, &book); err == nil {
			found.Owner[code] = book
		}
		return code, err
	}, text, append(d.PlanOptions[:len(d.PlanOptions):len(d.PlanOptions)], a...)...)
	if err != nil {
		return found, err
	}
	a = nil
	text = `SELECT book_id, count(*) FROM copies WHERE book_id ` + d.Among(a.Add(d.List(bookIDs))) + ` GROUP BY book_id`
	_, err = engine.Collect(ctx, q, "count copies", func(record engine.Row) (id string, err error) {
		var n int
		if err = record.Scan(&id, &n); err == nil {
			found.Count[id] = n
		}
		return id, err
	}, text, append(d.PlanOptions[:len(d.PlanOptions):len(d.PlanOptions)], a...)...)
	return found, err
}

// newLabel is a label on its way to a copy, by the names of the columns.
type newLabel struct {
	BookID  string  `json:"book_id"`
	Place   int     `json:"place"`
	Barcode *string `json:"barcode"`
	Shelf   string  `json:"shelf"`
}

var labelTable = []engine.RowColumn{{Name: "book_id", Type: "text"}, {Name: "place", Type: "int"}, {Name: "barcode", Type: "text"}, {Name: "shelf", Type: "text"}}

// LabelCopies labels the copies of new books, made by the database, with one
// statement.
func (t *tx) LabelCopies(ctx context.Context, labels []library.CopyLabel) error {
	if len(labels) == 0 {
		return nil
	}
	rows := make([]newLabel, len(labels))
	for i, l := range labels {
		rows[i] = newLabel{BookID: l.BookID, Place: l.Place, Shelf: l.Shelf}
		if l.Barcode != "" {
			rows[i].Barcode = &l.Barcode
		}
	}
	text, _ := json.Marshal(rows) // strings and numbers always marshal
	_, err := t.sql.ExecContext(ctx, `
		UPDATE copies SET barcode = n.barcode, shelf = n.shelf FROM (
			WITH r AS (SELECT * FROM `+t.dialect.Rows(labelTable)+`)
			SELECT c.seq, r.barcode, r.shelf FROM r JOIN (
				SELECT seq, book_id, row_number() OVER (PARTITION BY book_id ORDER BY seq) AS place
				FROM copies WHERE book_id IN (SELECT book_id FROM r)) AS c
			ON c.book_id = r.book_id AND c.place = r.place) AS n
		WHERE copies.seq = n.seq`, string(text))
	if t.dialect.Diagnose(err).Kind == engine.UniqueViolation {
		return library.ErrBarcodeTaken
	}
	t.changes.everything = true
	return t.dialect.Error(ctx, "label copies", err)
}
