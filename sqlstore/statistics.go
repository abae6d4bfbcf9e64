package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/statistics"
)

var _ statistics.Store = (*Store)(nil)

// Statistics counts how the library is used.
func (s *Store) Statistics(ctx context.Context, now time.Time, bounds []time.Time, most int) (statistics.Report, error) {
	st, err := engine.ReadOne(ctx, s.db, "count", scanStatistics, `
		SELECT (SELECT count(*) FROM books), (SELECT count(*) FROM copies WHERE state = 'lendable'),
			(SELECT count(*) FROM loans WHERE returned_at IS NULL),
			(SELECT count(*) FROM loans WHERE returned_at IS NULL AND claimed_at IS NULL AND coalesce(due_at, 9223372036854775807) < $1),
			(SELECT count(*) FROM holds WHERE ended_at IS NULL AND state = 'waiting'),
			(SELECT count(*) FROM holds WHERE copy_id IS NOT NULL),
			(SELECT count(*) FROM books) - (SELECT count(DISTINCT book_id) FROM loans)`, now.UnixMicro())
	if err != nil {
		return st, err
	}
	if st.Periods, err = s.periods(ctx, bounds); err != nil {
		return st, err
	}
	first, last := bounds[0].UnixMicro(), bounds[len(bounds)-1].UnixMicro()
	if st.MostBorrowed, err = engine.Collect(ctx, s.db, "find what is borrowed most", scanBorrowed, `
		SELECT b.id, b.title, b.authors, n.loans FROM (
			SELECT book_id, count(*) AS loans FROM loans
			WHERE borrowed_at >= $1 AND borrowed_at < $2 AND book_id IS NOT NULL
			GROUP BY book_id ORDER BY loans DESC, book_id LIMIT $3) AS n
		JOIN books b ON b.id = n.book_id ORDER BY n.loans DESC, b.id`,
		s.dialect.PlannedFor(engine.Arguments{first, last, most})...); err != nil {
		return st, err
	}
	st.NeverBorrowed, err = engine.Collect(ctx, s.db, "find what is never borrowed", scanRef, `
		SELECT b.id, b.title, b.authors FROM books b
		WHERE NOT EXISTS (SELECT 1 FROM loans WHERE book_id = b.id) ORDER BY b.created_at, b.id LIMIT $1`,
		s.dialect.PlannedFor(engine.Arguments{most})...)
	return st, err
}

// periods counts loans and returns between each two bounds.
func (s *Store) periods(ctx context.Context, bounds []time.Time) ([]statistics.Period, error) {
	micros := make([]int64, len(bounds))
	for i, b := range bounds {
		micros[i] = b.UnixMicro()
	}
	list, _ := json.Marshal(micros) // numbers always marshal
	return engine.Collect(ctx, s.db, "count loans", scanPeriod, `
		WITH k AS (SELECT place, value AS start, lead(value) OVER (ORDER BY place) AS stop FROM `+s.dialect.Numbers+`)
		SELECT (SELECT count(*) FROM loans WHERE borrowed_at >= k.start AND borrowed_at < k.stop),
			(SELECT count(*) FROM loans WHERE returned_at >= k.start AND returned_at < k.stop)
		FROM k WHERE k.stop IS NOT NULL ORDER BY k.place`, s.dialect.PlannedFor(engine.Arguments{string(list)})...)
}

func scanStatistics(record engine.Row) (statistics.Report, error) {
	var st statistics.Report
	err := record.Scan(&st.Books, &st.Copies, &st.OpenLoans, &st.OverdueLoans, &st.WaitingHolds, &st.ReadyHolds, &st.NeverBorrowedCount)
	return st, err
}

func scanPeriod(record engine.Row) (statistics.Period, error) {
	var p statistics.Period
	err := record.Scan(&p.Loans, &p.Returns)
	return p, err
}

func scanBorrowed(record engine.Row) (statistics.BorrowedBook, error) {
	var r refRow
	var b statistics.BorrowedBook
	if err := record.Scan(append(r.dest(), &b.Loans)...); err != nil {
		return b, err
	}
	var err error
	b.Book, err = r.ref()
	return b, err
}

func scanRef(record engine.Row) (library.BookRef, error) {
	var r refRow
	if err := record.Scan(r.dest()...); err != nil {
		return library.BookRef{}, err
	}
	return r.ref()
}
