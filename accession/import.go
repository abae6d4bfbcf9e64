// Package accession is a part of the domain: what becomes of the rows of an import of books.
// Which book a row is about, what replaces what, and which copies a book gets is decided over the
// books that were found; the service of package library loads them and writes what is decided, in the
// transactions of every change.
//
// Start reading at [Import.Decide]; the rules are in working_set.go, and in the table of its tests.
package accession

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/service"
)

// Import is the rows of an import, and how far it has come.
type Import struct {
	how  library.ImportOptions
	now  time.Time
	rows []Row            // those that are books have passed the rules for one
	errs []*library.Error // by row; nil for one that is a book

	done, decided progress // committed, and with what was decided last
}

// progress is what the rows so far have said.
type progress struct {
	given map[string][]string // what they have given of books, see workingSet
	codes map[string]bool     // the barcodes that they have named
}

// Run brings books into a library: see [service.Service.ImportBooks].
func Run(ctx context.Context, s *service.Service, a library.Actor, rows []Row, how library.ImportOptions) ([]library.ImportResult, error) {
	return s.ImportBooks(ctx, a, New(rows, how, s.Now()), how)
}

// New is an import of these rows.
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

// rowError is what a caller learns about a row that is not valid.
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

// Len is how many rows there are.
func (in *Import) Len() int { return len(in.rows) }

// Keys are those of every book that the rows from one up to another may be about.
func (in *Import) Keys(from, to int) (keys library.BookKeys) {
	for i := from; i < to; i++ {
		if in.errs[i] == nil {
			addKey(&keys, in.rows[i])
		}
	}
	compact(&keys)
	return keys
}

// Barcodes are all that the rows from one up to another name.
func (in *Import) Barcodes(from, to int) (barcodes []string) {
	for i := from; i < to; i++ {
		if in.errs[i] == nil {
			barcodes = append(barcodes, in.rows[i].Barcodes...)
		}
	}
	slices.Sort(barcodes)
	return slices.Compact(barcodes)
}

// Decide decides about the rows from one up to another, or about fewer if the books that change
// have more than maxBytes. Of the books that the rows may be about all that exist must have
// been found. In a dry run books that are not there yet have no identifier.
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

// Accept notes that what was decided last is committed.
func (in *Import) Accept() { in.done = in.decided }
