package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// importAccess is the permission and the lock of an import: without the lock two imports of the same
// records would both find them missing.
type importAccess struct {
	permission library.Permission
	lock       library.Lock
}

// importJob is an import of any kind of records.
type importJob interface {
	// write decides about the next rows, as many as fit into a short transaction, and writes the
	// decision. accept records its commit.
	write(ctx context.Context, tx library.Tx, a library.Actor, now time.Time) ([]library.ImportResult, error)
	accept()
	progress() *importProgress
	about(results []library.ImportResult) []string // records in the response, see SavedResponse
}

// importProgress is the progress of an import.
type importProgress struct {
	total   int                    // rows
	results []library.ImportResult // of the written rows
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

// importTimeout bounds each transaction of an import; it may wait for other imports.
const importTimeout = 15 * time.Second

// Bounds of one transaction of an import. The search index takes most of its time: a changed book
// replaces all its words.
const (
	maxBatchRows  = 200
	maxBatchBytes = 32 << 10
)

// importAttempts bounds the attempts of a batch. Each time one more of its records exists already, so
// it succeeds in the end.
const importAttempts = 50

// importBatch writes the next rows and returns their number.
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
		// Another request has just added a record with the same identifier, barcode, address or card.
		// The next attempt will find it.
		if attempt == importAttempts || !slices.ContainsFunc(takenMeanwhile, func(taken error) bool { return errors.Is(err, taken) }) {
			return len(results), err
		}
	}
}

var takenMeanwhile = []error{library.ErrIdentifierTaken, library.ErrBarcodeTaken, library.ErrEmailTaken, library.ErrCardTaken}
