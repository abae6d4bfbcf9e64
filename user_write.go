package library

import (
	"slices"
)

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
