package sqlstore_test

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/stocktake"
	"example.org/library/storetest/fixture"
)

// TestMeasuredStocktakeOfAHundredThousandCopies starts a stocktake, scans and looks.
func TestMeasuredStocktakeOfAHundredThousandCopies(t *testing.T) {
	const books, each = 5000, 20
	measured(t, newBooks(books, ""), func(t *testing.T, store *sqlstore.Store, f fixture.Store, numbers func(int) string) {
		sqlstore.Exec(t, store, `DELETE FROM copies`)
		sqlstore.Exec(t, store, `INSERT INTO copies (book_id, barcode, shelf, created_at) `+numbers(each)+`SELECT b.id, 'C' || b.seq || '-' || i, 'S' || (b.seq % 100), 0 FROM books b CROSS JOIN n`)
		staff, lib := f.AddReaders(t, 1)[0], service.New(store)
		takes := stocktake.New(store, lib)
		clock := time.Now()
		s, err := takes.Start(f.Ctx, staff, stocktake.Fields{Name: "All"})
		testkit.NoError(t, err)
		t.Logf("start: %v for %d copies", time.Since(clock), s.Expected)
		copies, err := store.ListCopies(f.Ctx, library.CopyQuery{Limit: 1500, Now: time.Now()})
		testkit.NoError(t, err)
		clock, used := time.Now(), processor(t)
		for _, c := range copies[:1000] {
			testkit.NoError(t, testkit.Err(takes.Scan(f.Ctx, staff, s.ID, stocktake.Scans{Codes: []string{c.Barcode}})))
		}
		perScan := (processor(t) - used) / 1000
		t.Logf("a scan: %v of the processor, %v", perScan, time.Since(clock)/1000)
		if perScan > 20*time.Millisecond {
			t.Errorf("a scan takes %v of the processor", perScan)
		}
		var codes []string
		for _, c := range copies[1000:] {
			codes = append(codes, c.Barcode)
		}
		clock, used = time.Now(), processor(t)
		testkit.NoError(t, testkit.Err(takes.Scan(f.Ctx, staff, s.ID, stocktake.Scans{Codes: codes})))
		t.Logf("500 codes at once: %v, %v of the processor", time.Since(clock), processor(t)-used)
		clock = time.Now()
		got, err := takes.Stocktake(f.Ctx, staff, s.ID)
		testkit.NoError(t, err)
		t.Logf("a look: %v; %d remain", time.Since(clock), got.Remaining)
		clock = time.Now()
		list, err := takes.Entries(f.Ctx, staff, stocktake.EntryQuery{StocktakeID: s.ID, Outcome: stocktake.Remaining, Limit: 100})
		testkit.NoError(t, err)
		t.Logf("a page of what remains: %v of %d", time.Since(clock), list.Total)
		if got.Remaining != s.Expected-1500 || list.Total != got.Remaining {
			t.Errorf("%d remain", got.Remaining)
		}
	})
}
