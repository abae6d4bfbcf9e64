package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/bookimport"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

const filler = "Filler"

// fillers are new books that are large enough, together, to end a transaction
// of an import.
func fillers() []bookimport.Row {
	rows := make([]bookimport.Row, 8)
	for i := range rows {
		rows[i] = rowOf(library.NewID(), library.BookFields{Title: filler, Description: strings.Repeat("f", library.MaxDescription)})
	}
	return rows
}

// importsInBatches puts fillers between the rows, so that each is written in
// another transaction. The outcomes must be the same.
func importsInBatches(t *testing.T, f fixture.Store) {
	s, actor := newImportScenario(t, f), f.Curator(t)
	var rows []bookimport.Row
	for _, r := range s.rows {
		rows = append(append(rows, r), fillers()...)
	}
	store := &countingStore{Store: f.Store}
	all, err := bookimport.Run(f.Ctx, service.New(store), actor, rows, library.ImportOptions{Update: true})
	fixture.WantError(t, err, nil)
	if store.transactions < len(s.rows) {
		t.Errorf("%d rows in %d transactions", len(s.rows), store.transactions)
	}
	var results []library.ImportResult
	for i := range s.rows {
		results = append(results, all[i*len(rows)/len(s.rows)])
	}
	fixture.WantEqual(t, describeImport(f, t, results), s.want)
	wantFields(t, slices.DeleteFunc(allBooks(t, f), func(b library.Book) bool { return b.Title == filler }), s.left)
}

// importBreaksOff fails in the middle of an import.
func importBreaksOff(t *testing.T, f fixture.Store) {
	actor := f.Curator(t)
	var rows []bookimport.Row
	for i := range 5 {
		rows = append(append(rows, row(library.BookFields{Title: fmt.Sprintf("Volume %d", i)})), fillers()...)
	}
	broken := errors.New("broken")
	_, err := bookimport.Run(f.Ctx, service.New(&countingStore{Store: f.Store, allowed: 3, then: broken}), actor, rows, library.ImportOptions{})
	fixture.WantError(t, err, broken)
	written := allBooks(t, f)
	if len(written) == 0 || len(written) >= len(rows) {
		t.Fatalf("%d of %d rows are there", len(written), len(rows))
	}
	for i, b := range written { // by creation, which is the order of the rows
		fixture.WantEqual(t, b.BookFields, rows[i].BookFields.Complete())
	}
	results, err := bookimport.Run(f.Ctx, service.New(f), actor, rows, library.ImportOptions{})
	fixture.WantError(t, err, nil)
	for i, r := range results {
		want := library.ImportAdded
		if i < len(written) {
			want = library.ImportUnchanged
		}
		if r.Outcome != want {
			t.Errorf("row %d: %s, want %s", i, r.Outcome, want)
		}
	}
	if n := len(allBooks(t, f)); n != len(rows) {
		t.Errorf("%d books, want %d", n, len(rows))
	}
}

// countingStore counts transactions, and may refuse them at some time.
type countingStore struct {
	library.Store
	transactions int
	allowed      int // if then is set
	then         error
}

func (c *countingStore) Tx(ctx context.Context, fn func(library.Tx) error) error {
	c.transactions++
	if c.then != nil && c.transactions > c.allowed {
		return c.then
	}
	return c.Store.Tx(ctx, fn)
}
