package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// importAccess is what a caller needs for an import, and what the import locks: two of
// the same records must not both find them missing.
type importAccess struct {
	permission library.Permission
	lock       library.Lock
}

// importJob is an import as the service runs it, whatever its rows are about.
type importJob interface {
	// write decides about the next rows, as many as fit into a short transaction, and
	// writes what is decided. accept notes that this has been committed.
	write(ctx context.Context, tx library.Tx, a library.Actor, now time.Time) ([]library.ImportResult, error)
	accept()
	progress() *importProgress
	about(results []library.ImportResult) []string // what the response names, see SavedResponse
}

// importProgress is how far an import has come.
type importProgress struct {
	total   int                    // rows
	results []library.ImportResult // of the rows that have been written
}

func (p *importProgress) progress() *importProgress { return p }

func (p *importProgress) finished() bool { return len(p.results) == p.total }

// runImport writes the rows of an import, one batch after the other.
func (s *Service) runImport(ctx context.Context, a library.Actor, needs importAccess, job importJob) ([]library.ImportResult, error) {
	if err := s.importing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.importing.Release(1)
	for p := job.progress(); !p.finished(); {
		if tried, err := s.importBatch(ctx, a, needs, job); err != nil {
			return nil, p.incomplete(tried, err)
		}
	}
	return job.progress().results, nil
}

// importTimeout bounds each transaction of an import, which waits for those of
// other imports.
const importTimeout = 15 * time.Second

// The bounds of what one transaction of an import looks at and writes. What
// takes long is the search index: of a book that changes, all words go and all
// words come.
const (
	maxBatchRows  = 200
	maxBatchBytes = 32 << 10
)

// importAttempts bounds how often a batch of an import starts again. Each time
// one more of its books is there already, so that it gets through in the end.
const importAttempts = 50

// importBatch writes the next rows and returns how many these are.
func (s *Service) importBatch(ctx context.Context, a library.Actor, needs importAccess, job importJob) (int, error) {
	for attempt := 1; ; attempt++ {
		var results []library.ImportResult
		err := s.change(ctx, a, needs.permission, scope{lock: needs.lock}, func(tx library.Tx, a library.Actor, _ library.Circulation) (err error) {
			if results, err = job.write(ctx, tx, a, s.now()); err != nil {
				return err
			}
			if all := slices.Concat(job.progress().results, results); len(all) == job.progress().total {
				return s.saveResponse(ctx, tx, a, needs.permission, all, job.about(all)...)
			}
			return nil
		})
		if err == nil {
			job.accept()
			return len(results), nil
		}
		// Somebody has just added a record under an identifier of ours, or with a
		// barcode, an address or a card, by other means than an import. The next
		// attempt will find it.
		if attempt == importAttempts || !slices.ContainsFunc(takenMeanwhile, func(taken error) bool { return errors.Is(err, taken) }) {
			return len(results), err
		}
	}
}

var takenMeanwhile = []error{library.ErrIdentifierTaken, library.ErrBarcodeTaken, library.ErrEmailTaken, library.ErrCardTaken}
