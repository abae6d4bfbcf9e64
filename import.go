package library

import (
	"context"
	"errors"
	"time"
)

// MaxImport is how many books one import may have.
const MaxImport = 1000

// MaxAlike is how many books with one title, or one ISBN, an import looks at. A
// catalogue may have a hundred thousand books called "Untitled".
const MaxAlike = 100

// ImportRow is a book as the source of an import describes it. What is empty
// is absent: an import fills in and replaces, it never clears.
type ImportRow struct {
	ID string // "" to find the book by what it says, and for a new identifier
	BookFields
	Fault error // why this is no book at all; then the rest is not looked at
}

// ImportOptions is how an import goes about its rows.
type ImportOptions struct {
	Update bool // replace what is different; otherwise report it
	DryRun bool // judge, but change nothing
}

// ImportOutcome is what became of a row.
type ImportOutcome string

const (
	ImportAdded     ImportOutcome = "added"
	ImportUpdated   ImportOutcome = "updated"
	ImportUnchanged ImportOutcome = "unchanged" // the library has all of it already
	ImportDiffers   ImportOutcome = "differs"   // the library says otherwise, and keeps that
	ImportInvalid   ImportOutcome = "invalid"
)

// ImportResult is the outcome of one row.
type ImportResult struct {
	Outcome ImportOutcome
	ID      string // of the book that the row is about, where it exists
	Err     *Error // why, if the row differs or is invalid
}

// ImportBooks brings books into the library, all in one transaction. Each row
// has an outcome of its own, in the same place; one that is refused is no harm
// to the others. A row sees what the rows before it have done.
func (s *Service) ImportBooks(ctx context.Context, a Actor, rows []ImportRow, how ImportOptions) ([]ImportResult, error) {
	if err := a.Authorize(Curate); err != nil {
		return nil, err
	}
	if len(rows) == 0 || len(rows) > MaxImport {
		return nil, ErrImportSize
	}
	in := newImport(rows, how)
	if how.DryRun {
		return in.rehearse(ctx, s.store, s.now())
	}
	if err := s.imports.enter(ctx); err != nil {
		return nil, err
	}
	defer s.imports.leave()
	for attempt := 1; ; attempt++ {
		results, err := s.runImport(ctx, in)
		// Somebody has just added a book under an identifier of ours, by other
		// ways than an import. The next look will find it.
		if !errors.Is(err, ErrIdentifierTaken) || attempt == importAttempts {
			return results, err
		}
	}
}

// importAttempts bounds how often an import starts again. Each time one more of
// its books is there already, so that it gets through in the end.
const importAttempts = 50

func (s *Service) runImport(ctx context.Context, in imported) (results []ImportResult, err error) {
	err = s.store.Tx(ctx, func(tx Tx) error {
		// Two imports of the same books must not both find them missing.
		if err := tx.TakeTurn(ctx); err != nil {
			return err
		}
		found, err := tx.FindBooks(ctx, in.keys, in.how.Update)
		if err != nil {
			return err
		}
		var on shelf
		results, on = in.judge(found, s.now())
		added, changed := on.changes()
		if err := tx.AddBooks(ctx, added); err != nil {
			return err
		}
		return tx.UpdateBooks(ctx, changed)
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// imported is the rows of an import that have passed the rules for one book.
type imported struct {
	how    ImportOptions
	rows   []ImportRow
	faults []*Error // by row; nil for one that is a book
	keys   BookKeys // of every book that a row may be about
}

func newImport(rows []ImportRow, how ImportOptions) imported {
	in := imported{how: how, rows: make([]ImportRow, len(rows)), faults: make([]*Error, len(rows))}
	for i, r := range rows {
		if r.Fault == nil {
			r.Fault = r.normalize()
		}
		if r.Fault != nil {
			in.faults[i] = rowFault(r.Fault)
			continue
		}
		in.rows[i] = r
		in.keys.add(r)
	}
	in.keys.compact()
	return in
}

// rowFault is what a caller learns about a row that is no book.
func rowFault(err error) *Error {
	bad := &Error{Kind: Invalid, Code: ErrInvalid.Code, Message: "The book is not valid."}
	var known *Error
	if errors.As(err, &known) {
		bad.Details = known.Details
		if len(known.Details) == 0 {
			bad.Message = known.Message
		}
	}
	return bad
}

// rehearse judges without a transaction: one look, and in nobody's way. Books
// that are not there yet have no identifier.
func (in imported) rehearse(ctx context.Context, store Store, now time.Time) ([]ImportResult, error) {
	found, err := store.FindBooks(ctx, in.keys)
	if err != nil {
		return nil, err
	}
	results, on := in.judge(found, now)
	for i := range results {
		if b := on.byID[results[i].ID]; b != nil && b.added {
			results[i].ID = ""
		}
	}
	return results, nil
}

// judge decides about each row, on a shelf with the books that were found.
func (in imported) judge(found []Book, now time.Time) ([]ImportResult, shelf) {
	on := newShelf(found)
	results := make([]ImportResult, len(in.rows))
	for i, r := range in.rows {
		if in.faults[i] != nil {
			results[i] = ImportResult{Outcome: ImportInvalid, Err: in.faults[i]}
			continue
		}
		// Apart by a little, so that "newest first" keeps the order of the rows.
		results[i] = on.place(r, in.how, now.Add(time.Duration(i)*time.Microsecond))
	}
	return results, on
}
