package service

import (
	"context"
	"time"

	"example.org/library"
)

// UserImport is the rows of an import of people: it decides what becomes of them, over the
// users who were found. Package roster has one. It knows no store, and the transaction
// stays here, with the checks of every change.
type UserImport interface {
	Len() int
	// Keys are those of every user whom the rows from one up to another may be about.
	Keys(from, to int) library.UserKeys
	// Decide decides about these rows. What it returns is written in this order.
	Decide(found library.FoundUsers, a library.Actor, from, to int) ([]library.ImportResult, []library.UserWrite)
	// Accept notes that what was decided last is committed.
	Accept()
}

// ImportUsers is ImportBooks for people.
func (s *Service) ImportUsers(ctx context.Context, a library.Actor, in UserImport, dryRun bool) ([]library.ImportResult, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return nil, err
	}
	if in.Len() == 0 || in.Len() > library.MaxImport {
		return nil, library.ErrUserImportSize
	}
	ctx = library.WithStoreTimeout(ctx, importTimeout)
	if !dryRun {
		return s.runImport(ctx, a, importAccess{library.Administer, library.UserLock}, &userImport{importProgress{total: in.Len()}, in, nil})
	}
	if err := s.checkKey(ctx, a); err != nil {
		return nil, err
	}
	found, err := s.store.FindUsers(ctx, in.Keys(0, in.Len()))
	if err != nil {
		return nil, err
	}
	results, _ := in.Decide(found, a, 0, in.Len())
	return results, s.Recheck(ctx, a, library.Administer)
}

// userImport is an import of people as the service runs it.
type userImport struct {
	importProgress
	UserImport
	written []library.ImportResult // by the last transaction
}

func (run *userImport) write(ctx context.Context, tx library.Tx, a library.Actor, _ time.Time) ([]library.ImportResult, error) {
	from, to := len(run.results), min(len(run.results)+maxBatchRows, run.total)
	found, err := tx.FindUsers(ctx, run.Keys(from, to))
	if err != nil {
		return nil, err
	}
	results, writes := run.Decide(found, a, from, to)
	run.written = results
	for _, w := range writes {
		store := tx.UpdateUser
		if w.Added {
			store = tx.AddUser
		}
		if err := store(ctx, w.User); err != nil {
			return results, err
		}
	}
	return results, nil
}

func (run *userImport) accept() {
	run.Accept()
	run.results = append(run.results, run.written...)
}

// about is everybody whom the response names.
func (run *userImport) about(results []library.ImportResult) (ids []string) {
	for _, r := range results {
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
