package library

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"example.org/library/internal/isbn"
)

// MaxImport is how many books one import may have.
const MaxImport = 1000

// MaxAlike is how many books with one title, or one ISBN, an import compares. A
// library may have a hundred thousand books called "Untitled".
const MaxAlike = 100

// ImportOptions is how an import goes about its rows.
type ImportOptions struct {
	Update bool // replace what is different; otherwise report it
	DryRun bool // decide, but change nothing
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

// ImportOutcomes is every outcome of a row.
var ImportOutcomes = []ImportOutcome{ImportAdded, ImportUpdated, ImportUnchanged, ImportDiffers, ImportInvalid}

// ImportResult is the outcome of one row.
type ImportResult struct {
	Outcome ImportOutcome
	ID      string // of the book that the row is about, where it exists
	Err     *Error // why, if the row differs or is invalid

	Replaceable bool      // the row differs, and the same import with Update would replace the book's fields
	Warnings    []Warning // what looks wrong and is kept
}

// Warning points out a value that is kept although it is likely to be wrong.
type Warning struct {
	Field, Message, Code string
}

// CheckISBN is the warning about text that cannot be an ISBN, and false if there is
// nothing wrong with it. The text is kept: old books have none,
// and people write other numbers in its place.
func CheckISBN(number string) (w Warning, doubtful bool) {
	if number == "" || isbn.Proven(number) != "" {
		return w, false
	}
	return Warning{Field: "isbn", Message: "is not a possible ISBN, because its length or its check digit is wrong; it is kept as it is", Code: "isbn_checksum"}, true
}

// BookImport is the rows of an import of books: it decides what becomes of them, over the
// books that were found. Package accession has one. It knows no store, and the transaction
// stays here, with the checks of every change.
type BookImport interface {
	Len() int
	// Keys are those of every book that the rows from one up to another may be about, and
	// Barcodes are all that they name.
	Keys(from, to int) BookKeys
	Barcodes(from, to int) []string
	// Decide decides about these rows, or about fewer if the books that change have more than
	// maxBytes. Of the books that the rows may be about all that exist must have been found.
	Decide(found []Book, copies FoundCopies, from, to, maxBytes int) BookWrites
	// Accept notes that what was decided last is committed.
	Accept()
}

// BookKeys says which books the rows of an import may be about.
type BookKeys struct {
	IDs    []string
	ISBNs  []string // each the isbn.Key of an ISBN that is one
	Titles []string // each a TitleKey
}

// FoundCopies is what an import needs to know of the copies that are there.
type FoundCopies struct {
	Owner map[string]string // of which book a copy with a barcode is
	Count map[string]int    // how many copies a book has, in whatever state
}

// CopyLabel is the barcode and the shelf of one of the copies with which a book
// was added: the first has the place 1.
type CopyLabel struct {
	BookID  string
	Place   int
	Barcode string
	Shelf   string
}

// BookWrites is what is decided about some rows: the outcomes, and what is written.
type BookWrites struct {
	Results        []ImportResult
	Added, Updated []Book
	Labels         []CopyLabel       // of the copies of books that are added
	Copies         map[string][]Copy // more copies of books that are there, by book
}

// ImportBooks brings books into the library. Each row has an outcome of its own,
// in the same place; a row that is refused does not affect the others. A row sees
// what the rows before it have done.
//
// The rows are written in order, in several short transactions, so that nobody
// waits long. An import that fails, or is given up, has done what it has done up
// to some row: ErrImportBrokeOff says up to which. The same import again does the
// rest. The response is saved for a repeated request with the last rows.
func (s *Service) ImportBooks(ctx context.Context, a Actor, in BookImport, how ImportOptions) ([]ImportResult, error) {
	if err := a.Authorize(Curate); err != nil {
		return nil, err
	}
	if in.Len() == 0 || in.Len() > MaxImport {
		return nil, ErrImportSize
	}
	ctx = WithStoreTimeout(ctx, importTimeout)
	if !how.DryRun {
		return s.runImport(ctx, a, importAccess{Curate, ImportLock}, &bookImport{importProgress{total: in.Len()}, in, s, how.Update, nil})
	}
	// All rows are decided about at once, without a transaction, so that nobody waits for it.
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
	return in.Decide(found, copies, 0, in.Len(), math.MaxInt).Results, s.Recheck(ctx, a, Curate)
}

// findCopies looks for barcodes, and counts the copies of the books that were found.
func findCopies(ctx context.Context, from interface {
	FindCopies(ctx context.Context, barcodes, bookIDs []string) (FoundCopies, error)
}, found []Book, barcodes []string) (FoundCopies, error) {
	if len(barcodes) == 0 {
		return FoundCopies{}, nil
	}
	ids := make([]string, len(found))
	for i, b := range found {
		ids[i] = b.ID
	}
	return from.FindCopies(ctx, barcodes, ids)
}

// bookImport is an import of books as the service runs it.
type bookImport struct {
	importProgress
	BookImport
	service *Service
	update  bool
	written []ImportResult // by the last transaction
}

func (run *bookImport) write(ctx context.Context, tx Tx, _ Actor, now time.Time) ([]ImportResult, error) {
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

func (run *bookImport) about([]ImportResult) []string { return nil }

// writeBooks writes what was decided.
func (s *Service) writeBooks(ctx context.Context, tx Tx, b BookWrites, now time.Time) error {
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
			_, c, err := tx.Load(ctx, Load{Book: id, Now: now})
			if err == nil && c == nil {
				err = ErrBookNotFound
			}
			if err != nil {
				return err
			}
			_, err = s.decide(ctx, tx, *c, now, func(c Circulation, now time.Time) (Decision, error) { return c.AddCopy(added, now) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
