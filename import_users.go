package library

import (
	"context"
	"time"
)

// UserImport is the rows of an import of people: it decides what becomes of them, over the
// users who were found. Package roster has one. It knows no store, and the transaction
// stays here, with the checks of every change.
type UserImport interface {
	Len() int
	// Keys are those of every user whom the rows from one up to another may be about.
	Keys(from, to int) UserKeys
	// Decide decides about these rows. What it returns is written in this order.
	Decide(found FoundUsers, a Actor, from, to int) ([]ImportResult, []UserWrite)
	// Accept notes that what was decided last is committed.
	Accept()
}

// UserKeys says which users the rows of an import may be about.
type UserKeys struct {
	Emails []string // each an EmailKey
	Cards  []string
}

// FoundUsers is the users who have one of some keys.
type FoundUsers struct {
	Users      []User
	OtherAdmin bool // somebody who is not among them has RoleAdmin and is active; only said if one of them has it
}

// UserWrite is a user to add, or to replace.
type UserWrite struct {
	User
	Added bool
}

// Normalized is the fields without white space around them, and everything that is wrong
// with them.
func (f UserFields) Normalized() (UserFields, []Detail) {
	bad := details(f.Normalize())
	return f, bad
}

// ImportUsers is ImportBooks for people.
func (s *Service) ImportUsers(ctx context.Context, a Actor, in UserImport, dryRun bool) ([]ImportResult, error) {
	if err := a.Authorize(Administer); err != nil {
		return nil, err
	}
	if in.Len() == 0 || in.Len() > MaxImport {
		return nil, ErrUserImportSize
	}
	ctx = WithStoreTimeout(ctx, importTimeout)
	if !dryRun {
		return s.runImport(ctx, a, importAccess{Administer, UserLock}, &userImport{importProgress{total: in.Len()}, in, nil})
	}
	if err := s.checkKey(ctx, a); err != nil {
		return nil, err
	}
	found, err := s.store.FindUsers(ctx, in.Keys(0, in.Len()))
	if err != nil {
		return nil, err
	}
	results, _ := in.Decide(found, a, 0, in.Len())
	return results, s.Recheck(ctx, a, Administer)
}

// userImport is an import of people as the service runs it.
type userImport struct {
	importProgress
	UserImport
	written []ImportResult // by the last transaction
}

func (run *userImport) write(ctx context.Context, tx Tx, a Actor, _ time.Time) ([]ImportResult, error) {
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
func (run *userImport) about(results []ImportResult) (ids []string) {
	for _, r := range results {
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
