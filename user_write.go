package library

import (
	"cmp"
	"context"
	"slices"
)

// AddUser adds a user. An empty id asks for a new one.
func (s *Service) AddUser(ctx context.Context, a Actor, id string, f UserFields) (User, error) {
	u, err := s.newUser(id, f)
	if err := cmp.Or(a.Precheck(Administer), err); err != nil {
		return User{}, err
	}
	return addRecord(ctx, s, a, Administer, u, func(tx Tx) error { return tx.AddUser(ctx, u) }, u.ID)
}

func (s *Service) newUser(id string, f UserFields) (User, error) {
	if err := f.Normalize(); err != nil {
		return User{}, err
	}
	f.KeepsActive = false
	return User{ID: orNewID(id), UserFields: f, Created: s.now(), Version: NewVersion()}, nil
}

// EditUser replaces a user's fields. It fails with ErrOutdated unless pre
// accepts the version that is being replaced.
func (s *Service) EditUser(ctx context.Context, a Actor, id string, f UserFields, pre Precondition) (User, error) {
	if err := cmp.Or(a.Precheck(Administer), f.Normalize()); err != nil {
		return User{}, err
	}
	var u User
	err := s.change(ctx, a, Administer, scope{lock: UserLock}, func(tx Tx, a Actor, _ Circulation) error {
		old, err := tx.User(ctx, id)
		if err != nil {
			return err
		}
		if u, err = old.Edited(f, pre); err != nil {
			return err
		}
		if err := old.MayBecome(u, a, func() (bool, error) { return tx.HasAdmin(ctx, id) }); err != nil {
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

// Edited is the user with other fields. It fails with ErrOutdated unless pre accepts the user's version.
func (u User) Edited(f UserFields, pre Precondition) (User, error) {
	if !pre.Accepts(u.Version) {
		return User{}, ErrOutdated
	}
	if f.Roles == nil {
		f.Roles = u.Roles
	}
	if f.KeepsActive {
		f.Inactive = u.Inactive
	}
	f.KeepsActive = false
	u.UserFields, u.Version = f, NewVersion()
	return u, nil
}

// MayBecome refuses to switch off the actor, or the last admin where the record is all
// that gives the role, and to take the role from that one: nobody could give it back.
// Edits run one after the other, so that two admins cannot both rely on the other.
func (u User) MayBecome(edited User, a Actor, hasOtherAdmin func() (bool, error)) error {
	if edited.Inactive && u.ID == a.User.ID {
		return ErrSelf
	}
	if !a.FromRecord || !u.isAdmin() || edited.isAdmin() {
		return nil
	}
	others, err := hasOtherAdmin()
	if err == nil && !others {
		return ErrLastAdmin
	}
	return err
}

// isAdmin reports whether the record makes an admin of the user.
func (u User) isAdmin() bool { return !u.Inactive && slices.Contains(u.Roles, RoleAdmin) }

// RemoveUser removes a user who has no borrowed books, and cancels the user's
// holds. Past loans and holds stay, without the person.
func (s *Service) RemoveUser(ctx context.Context, a Actor, id string, pre Precondition) error {
	return s.change(ctx, a, Administer, scope{lock: UserLock}, func(tx Tx, a Actor, _ Circulation) error {
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
		return tx.DeleteUser(ctx, id)
	})
}

// cancelHolds cancels all holds of a user whose record is locked, so that no
// more can be placed. It locks books after the user, where lending does it the
// other way round: should the two wait for each other, the database ends one of
// them and it is repeated.
func (s *Service) cancelHolds(ctx context.Context, tx Tx, userID string) error {
	books, err := tx.HeldBooks(ctx, userID)
	if err != nil {
		return err
	}
	for _, id := range books {
		_, c, err := tx.Load(ctx, Load{Book: id, Reader: userID, Now: s.now()})
		if err != nil || c == nil {
			return err
		}
		if _, err := s.decide(ctx, tx, *c, s.now(), Circulation.CancelHolds); err != nil {
			return err
		}
	}
	return nil
}

// MayBeRemoved returns nil if the actor may remove the user.
func (u User) MayBeRemoved(a Actor, hasLoans bool, pre Precondition) error {
	switch {
	case !pre.Accepts(u.Version):
		return ErrOutdated
	case u.ID == a.User.ID:
		return ErrOwnAccount
	case hasLoans:
		return ErrUserHasBooks
	}
	return nil
}
