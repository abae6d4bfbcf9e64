package service

import (
	"cmp"
	"context"

	"example.org/library"
)

// AddUser adds a user. An empty id asks for a new one.
func (s *Service) AddUser(ctx context.Context, a library.Actor, id string, f library.UserFields) (library.User, error) {
	u, err := s.newUser(id, f)
	if err := cmp.Or(a.Precheck(library.Administer), err); err != nil {
		return library.User{}, err
	}
	if u.Locale, err = s.LocaleOr(ctx, u.Locale); err != nil {
		return library.User{}, err
	}
	return addRecord(ctx, s, a, library.Administer, u, func(tx library.Tx) error { return tx.AddUser(ctx, u) }, u.ID)
}

// LocaleOr returns the given language, or else the library's.
func (s *Service) LocaleOr(ctx context.Context, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	p, err := s.store.Policy(ctx)
	return p.Locale, err
}

func (s *Service) newUser(id string, f library.UserFields) (library.User, error) {
	if err := f.Normalize(); err != nil {
		return library.User{}, err
	}
	f.KeepsActive, f.KeepsStation, f.KeepsNote, f.KeepsBlock = false, false, false, false
	return library.User{ID: orNewID(id), UserFields: f, Created: s.now(), Version: library.NewVersion()}, nil
}

// EditUser replaces a user's fields. It fails with ErrOutdated unless pre accepts the replaced
// version.
func (s *Service) EditUser(ctx context.Context, a library.Actor, id string, f library.UserFields, pre library.Precondition) (library.User, error) {
	err := cmp.Or(a.Precheck(library.Administer), f.Normalize())
	if err == nil {
		f.Locale, err = s.LocaleOr(ctx, f.Locale)
	}
	if err != nil {
		return library.User{}, err
	}
	var u library.User
	err = s.change(ctx, a, library.Administer, scope{lock: library.UserLock}, func(tx library.Tx, a library.Actor, _ library.Circulation) error {
		old, err := tx.User(ctx, id)
		if err != nil {
			return err
		}
		s.judgeManaged(&old)
		if u, err = old.Edited(f, pre); err != nil {
			return err
		}
		if err := old.MayBecome(u, a, func() (bool, error) { return tx.HasAdmin(ctx, id) }); err != nil {
			return err
		}
		if err := old.MayBeStation(u, func() (bool, error) { return tx.HasBooks(ctx, id, s.now()) }); err != nil {
			return err
		}
		if err := tx.UpdateUser(ctx, u); err != nil || s.mail == nil {
			return err
		}
		u.MailProblem, err = tx.MailProblem(ctx, u)
		return err
	})
	return u, err
}

// RemoveUser removes a user without borrowed books, and cancels the user's holds. Past loans and holds
// stay, without the person.
func (s *Service) RemoveUser(ctx context.Context, a library.Actor, id string, pre library.Precondition) error {
	return s.change(ctx, a, library.Administer, scope{lock: library.UserLock}, func(tx library.Tx, a library.Actor, _ library.Circulation) error {
		u, err := tx.User(ctx, id)
		if err != nil {
			return err
		}
		hasLoans, err := tx.HasOpenLoans(ctx, id)
		if err != nil {
			return err
		}
		if err := u.MayBeRemoved(a, hasLoans, pre); err != nil {
			return err
		}
		if err := s.cancelHolds(ctx, tx, id); err != nil {
			return err
		}
		if err := tx.LeaveGroups(ctx, id, library.NewVersion(), s.now()); err != nil {
			return err
		}
		return tx.DeleteUser(ctx, id)
	})
}

// cancelHolds cancels all holds of a locked user, so no more can be placed. It locks books after the
// user, while lending locks the book first: in a deadlock the database ends one of the two, and it is
// repeated.
func (s *Service) cancelHolds(ctx context.Context, tx library.Tx, userID string) error {
	books, err := tx.HeldBooks(ctx, userID)
	if err != nil {
		return err
	}
	for _, id := range books {
		_, c, err := tx.Load(ctx, library.Load{Book: id, Reader: userID, Now: s.now()})
		if err != nil || c == nil {
			return err
		}
		if _, err := s.decide(ctx, tx, *c, s.now(), library.Circulation.CancelHolds); err != nil {
			return err
		}
	}
	return nil
}
