// Package bookimport is a part of the domain: it decides about the rows of an import of books. It
// matches rows with books and decides about their fields and copies, given the books found for them.
// Package service loads the books and writes the decisions.
//
// Start reading at [Import.Decide]; the rules are in working_set.go, and in the table of its tests.
package bookimport

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/service"
)

// Import is an import: its rows and its progress.
type Import struct {
	how  library.ImportOptions
	now  time.Time
	rows []Row            // valid ones are normalized
	errs []*library.Error // by row; nil for a valid one

	done, decided progress // committed, and with the last decision
}

// progress is the state after some rows.
type progress struct {
	given map[string][]string // fields given by rows, see workingSet
	codes map[string]bool     // the barcodes of rows
}

// Run brings books into a library: see [service.Service.ImportBooks].
func Run(ctx context.Context, s *service.Service, a library.Actor, rows []Row, how library.ImportOptions) ([]library.ImportResult, error) {
	return s.ImportBooks(ctx, a, New(rows, how, s.Now()), how)
}

// New returns an import of rows.
func New(rows []Row, how library.ImportOptions, now time.Time) *Import {
	in := &Import{how: how, now: now, rows: make([]Row, len(rows)), errs: make([]*library.Error, len(rows))}
	for i, r := range rows {
		if r.Err == nil {
			if wrong := r.normalize(); len(wrong) > 0 {
				r.Err = library.InvalidFields(wrong...)
			}
		}
		if r.Err != nil {
			in.errs[i] = rowError(r.Err)
			continue
		}
		in.rows[i] = r
	}
	return in
}

// rowError returns the error of an invalid row.
func rowError(err error) *library.Error {
	e := &library.Error{Kind: library.Invalid, Code: library.ErrInvalid.Code, Message: "The book is not valid."}
	if known, ok := errors.AsType[*library.Error](err); ok {
		e.Code, e.Details = known.Code, known.Details
		if len(known.Details) == 0 {
			e.Message = known.Message
		}
	}
	return e
}

// Len returns the number of rows.
func (in *Import) Len() int { return len(in.rows) }

// Keys returns the keys of every book that may match the rows of a range.
func (in *Import) Keys(from, to int) (keys library.BookKeys) {
	for i := from; i < to; i++ {
		if in.errs[i] == nil {
			addKey(&keys, in.rows[i])
		}
	}
	compact(&keys)
	return keys
}

// Barcodes returns the barcodes of the rows of a range.
func (in *Import) Barcodes(from, to int) (barcodes []string) {
	for i := from; i < to; i++ {
		if in.errs[i] == nil {
			barcodes = append(barcodes, in.rows[i].Barcodes...)
		}
	}
	slices.Sort(barcodes)
	return slices.Compact(barcodes)
}

// Decide decides about the rows of a range, or about fewer if the changed books have more than maxBytes. Found must
// have every existing book with one of their keys. In a dry run, new books have no identifier.
func (in *Import) Decide(found []library.Book, copies library.FoundCopies, from, to, maxBytes int) (w library.BookWrites) {
	c := newWorkingSet(found, in.done.given)
	c.stock = newStockOfImport(copies, in.done.codes)
	for i := from; i < to && c.changedBytes < maxBytes; i++ {
		w.Results = append(w.Results, in.decideRow(i, &c))
	}
	if in.how.DryRun {
		c.hideAdded(w.Results)
	}
	w.Added, w.Updated = c.changes()
	w.Labels, w.Copies = c.stock.labels, c.stock.added
	in.decided = progress{c.given, c.stock.named}
	return w
}

func (in *Import) decideRow(i int, c *workingSet) library.ImportResult {
	if in.errs[i] != nil {
		return library.ImportResult{Outcome: library.ImportInvalid, Err: in.errs[i]}
	}
	// Apart by a little, so that "newest first" keeps the order of the rows.
	result := c.apply(in.rows[i], in.how, in.now.Add(time.Duration(i)*time.Microsecond))
	if w, doubtful := library.CheckISBN(in.rows[i].ISBN); doubtful {
		result.Warnings = []library.Warning{w}
	}
	return result
}

// Accept records the commit of the last decision.
func (in *Import) Accept() { in.done = in.decided }
