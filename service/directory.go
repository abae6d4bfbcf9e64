package service

import (
	"context"

	"example.org/library"
)

// DirectoryUsers returns users as a directory sees them.
func (s *Service) DirectoryUsers(ctx context.Context, a library.Actor, q library.DirectoryQuery) ([]library.DirectoryUser, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return nil, err
	}
	return s.store.DirectoryUsers(ctx, q)
}

// CountDirectoryUsers counts the users known to directories.
func (s *Service) CountDirectoryUsers(ctx context.Context, a library.Actor) (int, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return 0, err
	}
	return s.store.CountDirectoryUsers(ctx)
}

// DirectoryEdit returns what becomes of a record. A new one is the zero record.
type DirectoryEdit func(old library.DirectoryUser) (library.DirectoryUser, error)

// AddDirectoryUser adds a user, or adopts the record with the address if no directory has. Otherwise it fails
// with ErrEmailTaken.
func (s *Service) AddDirectoryUser(ctx context.Context, a library.Actor, edit DirectoryEdit) (library.DirectoryUser, error) {
	return directoryChange(ctx, s, a, func(tx library.Tx, a library.Actor) (library.DirectoryUser, error) {
		fresh, err := edit(library.DirectoryUser{})
		if err != nil {
			return fresh, err
		}
		found, err := tx.DirectoryUsers(ctx, library.DirectoryQuery{Email: fresh.Email, Removed: true})
		if err != nil {
			return fresh, err
		}
		if len(found) > 0 {
			if found[0].Adopted && !found[0].Removed {
				return fresh, library.ErrEmailTaken
			}
			return s.saveDirectoryUser(ctx, tx, a, found[0], func(old library.DirectoryUser) (library.DirectoryUser, error) {
				old.Inactive = false // unless the directory says so
				u, err := edit(old)
				u.Adopted, u.Removed = true, false
				return u, err
			})
		}
		if err := checkDirectoryKeys(ctx, tx, fresh); err != nil {
			return fresh, err
		}
		if fresh.Locale == "" {
			p, err := tx.PolicyNow(ctx)
			if err != nil {
				return fresh, err
			}
			fresh.Locale = p.Locale
		}
		fresh.ID, fresh.Created, fresh.Version, fresh.Adopted = library.NewID(), s.now(), library.NewVersion(), true
		fresh.Changed = fresh.Created
		if err := tx.AddUser(ctx, fresh.User); err != nil {
			return fresh, err
		}
		return fresh, tx.SaveDirectoryUser(ctx, fresh)
	})
}

// EditDirectoryUser edits a user.
func (s *Service) EditDirectoryUser(ctx context.Context, a library.Actor, id string, pre library.Precondition, edit DirectoryEdit) (library.DirectoryUser, error) {
	return directoryChange(ctx, s, a, func(tx library.Tx, a library.Actor) (library.DirectoryUser, error) {
		old, err := directoryUser(ctx, tx, id, pre)
		if err != nil {
			return old, err
		}
		return s.saveDirectoryUser(ctx, tx, a, old, edit)
	})
}

// RemoveDirectoryUser switches a user off, and hides the record from directories. Loans and history stay.
func (s *Service) RemoveDirectoryUser(ctx context.Context, a library.Actor, id string, pre library.Precondition) error {
	_, err := directoryChange(ctx, s, a, func(tx library.Tx, a library.Actor) (library.DirectoryUser, error) {
		old, err := directoryUser(ctx, tx, id, pre)
		if err != nil {
			return old, err
		}
		if old, err = s.saveDirectoryUser(ctx, tx, a, old, func(u library.DirectoryUser) (library.DirectoryUser, error) {
			u.UserName, u.ExternalID, u.Kept = "", "", nil
			u.Inactive, u.Removed = true, true
			return u, nil
		}); err != nil {
			return old, err
		}
		return old, s.leaveGroups(ctx, tx, id)
	})
	return err
}

func directoryUser(ctx context.Context, tx library.Tx, id string, pre library.Precondition) (library.DirectoryUser, error) {
	found, err := tx.DirectoryUsers(ctx, library.DirectoryQuery{ID: id})
	switch {
	case err != nil:
		return library.DirectoryUser{}, err
	case len(found) == 0:
		return library.DirectoryUser{}, library.ErrUserNotFound
	case !pre.Accepts(found[0].Version):
		return library.DirectoryUser{}, library.ErrOutdated
	}
	return found[0], nil
}

// saveDirectoryUser edits a record that is locked.
func (s *Service) saveDirectoryUser(ctx context.Context, tx library.Tx, a library.Actor, old library.DirectoryUser, edit DirectoryEdit) (library.DirectoryUser, error) {
	u, err := edit(old)
	if err != nil {
		return u, err
	}
	if err := checkDirectoryKeys(ctx, tx, u); err != nil {
		return u, err
	}
	u.Version, u.Changed = library.NewVersion(), s.now()
	if err := old.MayBecome(u.User, a, func() (bool, error) { return tx.HasAdmin(ctx, u.ID) }); err != nil {
		return u, err
	}
	if err := tx.UpdateUser(ctx, u.User); err != nil {
		return u, err
	}
	return u, tx.SaveDirectoryUser(ctx, u)
}

// checkDirectoryKeys reports whether somebody else has the name or the identifier at the directory.
func checkDirectoryKeys(ctx context.Context, tx library.Tx, u library.DirectoryUser) error {
	for _, key := range []struct {
		value string
		query library.DirectoryQuery
		taken error
	}{
		{u.UserName, library.DirectoryQuery{UserName: u.UserName}, library.ErrUserNameTaken},
		{u.ExternalID, library.DirectoryQuery{ExternalID: u.ExternalID}, library.ErrExternalIDTaken},
	} {
		if key.value == "" {
			continue
		}
		found, err := tx.DirectoryUsers(ctx, key.query)
		if err != nil {
			return err
		}
		for _, other := range found {
			if other.ID != u.ID {
				return key.taken
			}
		}
	}
	return nil
}

// directoryChange makes a change for a directory: for an admin as every change, and for a directory with a
// secret without a record of the caller.
func directoryChange[T any](ctx context.Context, s *Service, a library.Actor, fn func(library.Tx, library.Actor) (T, error)) (result T, err error) {
	if !a.Directory {
		return changeTo(ctx, s, a, library.Administer, scope{lock: library.UserLock}, func(tx library.Tx, a library.Actor, _ library.Circulation) (T, error) {
			return fn(tx, a)
		})
	}
	err = s.store.Tx(ctx, func(tx library.Tx) (err error) {
		if err = tx.Lock(ctx, library.UserLock); err == nil {
			result, err = fn(tx, a)
		}
		return err
	})
	return result, err
}
