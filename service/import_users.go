package service

import (
	"context"
	"time"

	"example.org/library"
)

// UserImport decides about the rows of an import of people, given the users found for them. Package
// userimport implements it without a store; the transaction stays here, with the checks of every
// change.
type UserImport interface {
	Len() int
	// Keys returns the keys of every user that may match the rows of a range.
	Keys(from, to int) library.UserKeys
	// Decide decides about these rows. The writes keep their order.
	Decide(found library.FoundUsers, a library.Actor, from, to int) ([]library.ImportResult, []library.UserWrite)
	// Accept records the commit of the last decision.
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
		return s.runImport(ctx, a, importAccess{library.Administer, library.UserLock}, &userImport{importProgress{total: in.Len()}, in, s, nil})
	}
	if err := s.checkKey(ctx, a); err != nil {
		return nil, err
	}
	found, err := s.store.FindUsers(ctx, in.Keys(0, in.Len()))
	if err != nil {
		return nil, err
	}
	s.judgeAllManaged(found.Users)
	results, _ := in.Decide(found, a, 0, in.Len())
	return results, s.Recheck(ctx, a, library.Administer)
}

// userImport is the importJob of people.
type userImport struct {
	importProgress
	UserImport
	service *Service
	written []library.ImportResult // by the last transaction
}

func (run *userImport) write(ctx context.Context, tx library.Tx, a library.Actor, _ time.Time) ([]library.ImportResult, error) {
	from, to := len(run.results), min(len(run.results)+maxBatchRows, run.total)
	found, err := tx.FindUsers(ctx, run.Keys(from, to))
	if err != nil {
		return nil, err
	}
	run.service.judgeAllManaged(found.Users)
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

// about returns the users in the response.
func (run *userImport) about(results []library.ImportResult) (ids []string) {
	for _, r := range results {
		for _, id := range []string{r.ID, r.Named} {
			if id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
