package service

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"example.org/library"
)

// BookImport decides about the rows of an import of books, given the books found for them. Package
// bookimport implements it without a store; the transaction stays here, with the checks of every
// change.
type BookImport interface {
	Len() int
	// Keys returns the keys of every book that may match the rows of a range, and Barcodes their
	// barcodes.
	Keys(from, to int) library.BookKeys
	Barcodes(from, to int) []string
	// Decide decides about these rows, or about fewer if the changed books have more than maxBytes.
	// Found must have every existing book with one of their keys.
	Decide(found []library.Book, copies library.FoundCopies, from, to, maxBytes int) library.BookWrites
	// Accept records the commit of the last decision.
	Accept()
}

// ImportBooks brings books into the library. Each row has an outcome of its own, in the same place; a
// refused row does not affect the others. A row sees the effects of the rows before it.
//
// The rows are written in order, in several short transactions, so nobody waits long. An import that
// fails or is cancelled stays done up to some row, named in ErrImportBrokeOff. Repeating the import
// does the rest. The transaction of the last rows saves the response for a repeated request.
func (s *Service) ImportBooks(ctx context.Context, a library.Actor, in BookImport, how library.ImportOptions) ([]library.ImportResult, error) {
	if err := a.Authorize(library.Curate); err != nil {
		return nil, err
	}
	if in.Len() == 0 || in.Len() > library.MaxImport {
		return nil, library.ErrImportSize
	}
	ctx = library.WithStoreTimeout(ctx, importTimeout)
	if !how.DryRun {
		return s.runImport(ctx, a, importAccess{library.Curate, library.ImportLock}, &bookImport{importProgress{total: in.Len()}, in, s, how.Update, nil})
	}
	// A dry run decides about all rows at once, without a transaction.
	if err := s.checkKey(ctx, a); err != nil {
		return nil, err
	}
	found, err := s.store.FindBooks(ctx, in.Keys(0, in.Len()))
	if err != nil {
		return nil, err
	}
	copies, err := findCopies(ctx, s.store, found, in.Barcodes(0, in.Len()))
	if err != nil {
		return nil, err
	}
	return in.Decide(found, copies, 0, in.Len(), math.MaxInt).Results, s.Recheck(ctx, a, library.Curate)
}

// findCopies finds the copies with the barcodes, and counts the copies of the found books.
func findCopies(ctx context.Context, from interface {
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (library.FoundCopies, error)
}, found []library.Book, barcodes []string) (library.FoundCopies, error) {
	if len(barcodes) == 0 {
		return library.FoundCopies{}, nil
	}
	ids := make([]string, len(found))
	for i, b := range found {
		ids[i] = b.ID
	}
	return from.FindCopies(ctx, barcodes, ids)
}

// bookImport is the importJob of books.
type bookImport struct {
	importProgress
	BookImport
	service *Service
	update  bool
	written []library.ImportResult // by the last transaction
}

func (run *bookImport) write(ctx context.Context, tx library.Tx, _ library.Actor, now time.Time) ([]library.ImportResult, error) {
	from, to := len(run.results), min(len(run.results)+maxBatchRows, run.total)
	found, err := tx.FindBooks(ctx, run.Keys(from, to), run.update)
	if err != nil {
		return nil, err
	}
	copies, err := findCopies(ctx, tx, found, run.Barcodes(from, to))
	if err != nil {
		return nil, err
	}
	writes := run.Decide(found, copies, from, to, maxBatchBytes)
	run.written = writes.Results
	return writes.Results, run.service.writeBooks(ctx, tx, writes, now)
}

func (run *bookImport) accept() {
	run.Accept()
	run.results = append(run.results, run.written...)
}

func (run *bookImport) about([]library.ImportResult) []string { return nil }

// writeBooks writes a decision.
func (s *Service) writeBooks(ctx context.Context, tx library.Tx, b library.BookWrites, now time.Time) error {
	if err := tx.AddBooks(ctx, b.Added); err != nil {
		return err
	}
	if err := tx.LabelCopies(ctx, b.Labels); err != nil {
		return err
	}
	if err := tx.UpdateBooks(ctx, b.Updated); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(b.Copies)) {
		for _, added := range b.Copies[id] {
			_, c, err := tx.Load(ctx, library.Load{Book: id, Now: now})
			if err == nil && c == nil {
				err = library.ErrBookNotFound
			}
			if err != nil {
				return err
			}
			_, err = s.decide(ctx, tx, *c, now, func(c library.Circulation, now time.Time) (library.Decision, error) { return c.AddCopy(added, now) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
