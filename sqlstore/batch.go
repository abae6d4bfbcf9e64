package sqlstore

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// LockBatch locks books, and then people, and returns the people.
func (t *tx) LockBatch(ctx context.Context, books, people []string, now time.Time) (map[string]library.Reader, error) {
	readers := make(map[string]library.Reader, len(people))
	read := func(record engine.Row) error {
		r, err := scanReader(record)
		r.LoansOfKind = map[string]int{}
		readers[r.ID] = r
		return err
	}
	count := func(record engine.Row) error {
		var id, kind string
		var n int
		err := record.Scan(&id, &kind, &n)
		if r, isThere := readers[id]; isThere {
			r.LoansOfKind[kind] = n
		}
		return err
	}
	var readings []engine.Reading
	add := func(doing, before string, ids []string, after string, scan func(engine.Records) error, args ...any) {
		a := engine.Arguments(args)
		among := t.dialect.Among(a.Add(t.dialect.List(ids)))
		readings = append(readings, engine.Reading{Doing: doing, Text: before + among + after, Args: a, Scan: scan})
	}
	if t.dialect.LocksRecords() {
		add("lock books", `SELECT id FROM books WHERE id `, books, ` ORDER BY created_at, id`+t.dialect.ForUpdate, engine.None)
		add("lock readers", `SELECT id FROM users WHERE id `, people, ` ORDER BY id`+t.dialect.ForNoKeyUpdate, engine.None)
	}
	add("read readers", `SELECT `+readerColumns+` FROM users WHERE id `, people, ``, engine.Each(read), now.UnixMicro())
	add("count kinds", `SELECT l.user_id, b.kind, count(*) FROM loans l JOIN books b ON b.id = l.book_id WHERE l.returned_at IS NULL AND l.user_id `,
		people, ` GROUP BY l.user_id, b.kind`, engine.Each(count))
	return readers, t.sql.ReadAll(ctx, readings)
}
