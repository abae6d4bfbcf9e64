package library

import (
	"context"
	"errors"
	"math"
	"time"

	"example.org/library/internal/isbn"
)

// MaxImport is how many books one import may have.
const MaxImport = 1000

// MaxAlike is how many books with one title, or one ISBN, an import compares. A
// library may have a hundred thousand books called "Untitled".
const MaxAlike = 100

// ImportRow is a book as the source of an import describes it. What is empty
// is absent: an import fills in and replaces, it never clears.
type ImportRow struct {
	ID string // "" to find the book by what it says, and for a new identifier
	BookFields
	ImportCopies
	Err error // why this is no book at all; then the rest is ignored
}

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

// ImportBooks brings books into the library. Each row has an outcome of its own,
// in the same place; a row that is refused does not affect the others. A row sees
// what the rows before it have done.
//
// The rows are written in order, in several short transactions, so that nobody
// waits long. An import that fails, or is given up, has done what it has done up
// to some row: ErrImportBrokeOff says up to which. The same import again does the
// rest. The response is saved for a repeated request with the last rows.
func (s *Service) ImportBooks(ctx context.Context, a Actor, rows []ImportRow, how ImportOptions) ([]ImportResult, error) {
	if err := a.Authorize(Curate); err != nil {
		return nil, err
	}
	if len(rows) == 0 || len(rows) > MaxImport {
		return nil, ErrImportSize
	}
	ctx = WithStoreTimeout(ctx, importTimeout)
	run := newImportRun(rows, how, s.now())
	run.service = s
	if how.DryRun {
		return s.dryRun(ctx, a, run)
	}
	return s.runImport(ctx, a, importAccess{Curate, ImportLock}, run)
}

// dryRun decides about all rows at once, without a transaction, so that nobody
// waits for it. Books that are not there yet have no identifier.
func (s *Service) dryRun(ctx context.Context, a Actor, run *importRun) ([]ImportResult, error) {
	if err := s.checkKey(ctx, a); err != nil {
		return nil, err
	}
	found, err := s.store.FindBooks(ctx, run.keys(len(run.rows)))
	if err != nil {
		return nil, err
	}
	copies, err := run.findCopies(ctx, s.store, found, len(run.rows))
	if err != nil {
		return nil, err
	}
	return run.decide(found, copies, len(run.rows), math.MaxInt).results, s.Recheck(ctx, a, Curate)
}

// importRun is the rows of an import, and how far it has come. It knows no store:
// it says which books it needs, and decides over those that were found.
type importRun struct {
	importProgress
	service *Service
	how     ImportOptions
	now     time.Time
	rows    []ImportRow // those that are books have passed the rules for one
	errs    []*Error    // by row; nil for one that is a book

	given map[string][]string // what the rows that have been written have given, see workingSet
	codes map[string]bool     // the barcodes that they have named
	batch importBatch         // what is being written
}

// importBatch is what is decided about some rows: the outcomes, and the books to
// write.
type importBatch struct {
	results        []ImportResult
	added, updated []Book
	labels         []CopyLabel       // of the copies of books that are added
	copies         map[string][]Copy // more copies of books that are there, by book
	given          map[string][]string
	codes          map[string]bool
}

func newImportRun(rows []ImportRow, how ImportOptions, now time.Time) *importRun {
	run := &importRun{how: how, now: now, rows: make([]ImportRow, len(rows)), errs: make([]*Error, len(rows))}
	run.total = len(rows)
	for i, r := range rows {
		if r.Err == nil {
			r.Err = r.normalizeRow()
		}
		if r.Err != nil {
			run.errs[i] = rowError(r.Err, "The book is not valid.")
			continue
		}
		run.rows[i] = r
	}
	return run
}

func (run *importRun) write(ctx context.Context, tx Tx, _ Actor, now time.Time) ([]ImportResult, error) {
	end := min(len(run.results)+maxBatchRows, len(run.rows))
	found, err := tx.FindBooks(ctx, run.keys(end), run.how.Update)
	if err != nil {
		return nil, err
	}
	copies, err := run.findCopies(ctx, tx, found, end)
	if err != nil {
		return nil, err
	}
	run.batch = run.decide(found, copies, end, maxBatchBytes)
	return run.batch.results, run.batch.write(ctx, run.service, tx, now)
}

func (run *importRun) accept() {
	run.results, run.given, run.codes = append(run.results, run.batch.results...), run.batch.given, run.batch.codes
}

func (run *importRun) about([]ImportResult) []string { return nil }

// keys are those of every book that the rows up to one may be about, from the
// first that has not been written.
func (run *importRun) keys(end int) (keys BookKeys) {
	for i := len(run.results); i < end; i++ {
		if run.errs[i] == nil {
			keys.add(run.rows[i])
		}
	}
	keys.compact()
	return keys
}

// decide decides about the rows up to one, from the first that has not been
// written, or about fewer if the books that change have more than maxBytes. Of the
// books that the rows may be about all that exist must have been found.
func (run *importRun) decide(found []Book, copies FoundCopies, end, maxBytes int) (b importBatch) {
	c := newWorkingSet(found, run.given)
	c.stock = newStockOfImport(copies, run.codes)
	for i := len(run.results); i < end && c.changedBytes < maxBytes; i++ {
		b.results = append(b.results, run.decideRow(i, &c))
	}
	if run.how.DryRun {
		c.hideAdded(b.results)
	}
	b.added, b.updated = c.changes()
	b.given, b.codes, b.labels, b.copies = c.given, c.stock.named, c.stock.labels, c.stock.added
	return b
}

func (run *importRun) decideRow(i int, c *workingSet) ImportResult {
	if run.errs[i] != nil {
		return ImportResult{Outcome: ImportInvalid, Err: run.errs[i]}
	}
	// Apart by a little, so that "newest first" keeps the order of the rows.
	result := c.apply(run.rows[i], run.how, run.now.Add(time.Duration(i)*time.Microsecond))
	if w, doubtful := CheckISBN(run.rows[i].ISBN); doubtful {
		result.Warnings = []Warning{w}
	}
	return result
}

// rowError is what a caller learns about a row that is not valid.
func rowError(err error, message string) *Error {
	e := &Error{Kind: Invalid, Code: ErrInvalid.Code, Message: message}
	if known, ok := errors.AsType[*Error](err); ok {
		e.Code, e.Details = known.Code, known.Details
		if len(known.Details) == 0 {
			e.Message = known.Message
		}
	}
	return e
}
