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

	Warnings []Warning // what looks wrong and is kept
}

// Warning points out a value that is kept although it is likely to be wrong.
type Warning struct {
	Field, Message, Code string
}

// warnISBN is for text that cannot be an ISBN. It is kept: old books have none,
// and people write other numbers in its place.
var warnISBN = Warning{Field: "isbn", Message: "is not a possible ISBN, because its length or its check digit is wrong; it is kept as it is", Code: "isbn_checksum"}

// ImportBooks brings books into the library. Each row has an outcome of its own,
// in the same place; one that is refused is no harm to the others. A row sees
// what the rows before it have done.
//
// The rows are written in order, in several short transactions, so that nobody
// waits long. An import that fails, or is given up, has done what
// it has done up to some row; the same import again does the rest.
func (s *Service) ImportBooks(ctx context.Context, a Actor, rows []ImportRow, how ImportOptions) ([]ImportResult, error) {
	if err := a.Authorize(Curate); err != nil {
		return nil, err
	}
	if len(rows) == 0 || len(rows) > MaxImport {
		return nil, ErrImportSize
	}
	in := newImport(rows, how, s.now())
	if how.DryRun {
		results, err := in.rehearse(ctx, s.store)
		if err == nil {
			err = s.Recheck(ctx, a, Curate)
		}
		return results, err
	}
	if err := s.importing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.importing.Release(1)
	for !in.finished() {
		if err := s.importPiece(ctx, a, in); err != nil {
			return nil, err
		}
	}
	return in.results, nil
}

// importAttempts bounds how often a piece of an import starts again. Each time
// one more of its books is there already, so that it gets through in the end.
const importAttempts = 50

// importPiece writes the next rows.
func (s *Service) importPiece(ctx context.Context, a Actor, in *imported) error {
	for attempt := 1; ; attempt++ {
		var on shelf
		var results []ImportResult
		// Two imports of the same books must not both find them missing.
		err := s.change(ctx, a, Curate, scope{lock: ImportLock}, func(tx Tx, _ Actor, _ Circulation) (err error) {
			results, on, err = in.writePiece(ctx, tx)
			return err
		})
		if err == nil {
			in.results, in.said = append(in.results, results...), on.said
			return nil
		}
		// Somebody has just added a book under an identifier of ours, by other
		// ways than an import. The next look will find it.
		if !errors.Is(err, ErrIdentifierTaken) || attempt == importAttempts {
			return err
		}
	}
}

// imported is the rows of an import, and how far it has come.
type imported struct {
	how    ImportOptions
	now    time.Time
	rows   []ImportRow // those that are books have passed the rules for one
	faults []*Error    // by row; nil for one that is a book

	results []ImportResult      // of the rows that have been written
	said    map[string][]string // what they have said, see shelf
}

func newImport(rows []ImportRow, how ImportOptions, now time.Time) *imported {
	in := &imported{how: how, now: now, rows: make([]ImportRow, len(rows)), faults: make([]*Error, len(rows))}
	for i, r := range rows {
		if r.Fault == nil {
			r.Fault = r.normalize()
		}
		if r.Fault != nil {
			in.faults[i] = rowFault(r.Fault)
			continue
		}
		in.rows[i] = r
	}
	return in
}

func (in *imported) finished() bool { return len(in.results) == len(in.rows) }

// keys are those of every book that the rows up to one may be about, from the
// first that has not been written.
func (in *imported) keys(end int) (keys BookKeys) {
	for i := len(in.results); i < end; i++ {
		if in.faults[i] == nil {
			keys.add(in.rows[i])
		}
	}
	keys.compact()
	return keys
}

// rowFault is what a caller learns about a row that is no book.
func rowFault(err error) *Error {
	bad := &Error{Kind: Invalid, Code: ErrInvalid.Code, Message: "The book is not valid."}
	var known *Error
	if errors.As(err, &known) {
		bad.Code, bad.Details = known.Code, known.Details
		if len(known.Details) == 0 {
			bad.Message = known.Message
		}
	}
	return bad
}

// rehearse judges all rows without a transaction: one look, and in nobody's way.
// Books that are not there yet have no identifier.
func (in *imported) rehearse(ctx context.Context, store Store) ([]ImportResult, error) {
	found, err := store.FindBooks(ctx, in.keys(len(in.rows)))
	if err != nil {
		return nil, err
	}
	on := newShelf(found, nil)
	for i := range in.rows {
		in.results = append(in.results, in.judge(i, &on))
	}
	for i := range in.results {
		if b := on.byID[in.results[i].ID]; b != nil && b.added {
			in.results[i].ID = ""
		}
	}
	return in.results, nil
}

// The bounds of what one transaction of an import looks at and writes. What
// takes long is the search index: of a book that changes, all words go and all
// words come.
const (
	maxPieceRows  = 200
	maxPieceBytes = 32 << 10
)

// writePiece judges the next rows and writes what they change, as much as fits
// into a short transaction.
func (in *imported) writePiece(ctx context.Context, tx Tx) ([]ImportResult, shelf, error) {
	begin := len(in.results)
	end := min(begin+maxPieceRows, len(in.rows))
	found, err := tx.FindBooks(ctx, in.keys(end), in.how.Update)
	if err != nil {
		return nil, shelf{}, err
	}
	on := newShelf(found, in.said)
	var results []ImportResult
	for i := begin; i < end && on.changedBytes < maxPieceBytes; i++ {
		results = append(results, in.judge(i, &on))
	}
	added, changed := on.changes()
	if err := tx.AddBooks(ctx, added); err != nil {
		return nil, shelf{}, err
	}
	return results, on, tx.UpdateBooks(ctx, changed)
}

// judge decides about one row.
func (in *imported) judge(i int, on *shelf) ImportResult {
	if in.faults[i] != nil {
		return ImportResult{Outcome: ImportInvalid, Err: in.faults[i]}
	}
	// Apart by a little, so that "newest first" keeps the order of the rows.
	result := on.place(in.rows[i], in.how, in.now.Add(time.Duration(i)*time.Microsecond))
	if isbn := in.rows[i].ISBN; isbn != "" && provenISBN(isbn) == "" {
		result.Warnings = []Warning{warnISBN}
	}
	return result
}
