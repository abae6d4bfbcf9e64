package library

import (
	"slices"
	"strings"
)

// Role is what a user is in the library.
type Role string

const (
	RoleUser    Role = "LIBRARY_USER"    // lists, borrows and returns books
	RoleCurator Role = "LIBRARY_CURATOR" // adds, edits and deletes books
	RoleAdmin   Role = "LIBRARY_ADMIN"   // lists, adds, edits and removes users
)

// Roles is every role, in the order in which they are shown.
var Roles = []Role{RoleUser, RoleCurator, RoleAdmin}

// sortRoles puts roles into their usual order, each once.
func sortRoles(roles []Role) []Role {
	if roles == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(Roles), func(r Role) bool { return !slices.Contains(roles, r) })
}

// Authority is the name that a caller must hold to act in the role.
func (r Role) Authority() string { return "ROLE_" + string(r) }

// Scope is the OAuth scope that gives the role.
func (r Role) Scope() string { return strings.ToLower(string(r)) }

// Permission names something that a caller may do. Each belongs to a role.
type Permission int

const (
	Read       Permission = iota // look at oneself and at the rules: every caller
	Browse                       // look at the catalogue: every caller, and strangers where it is public
	Lend                         // borrow and return
	Curate                       // add, edit and delete books
	Administer                   // list, add, edit and remove users
	Oversee                      // look at copies, and at everybody's loans and holds: curators and admins
)

// Role is the role that the permission needs, "" when every caller has it. For
// Oversee, RoleAdmin will do as well.
func (p Permission) Role() Role {
	switch p {
	case Lend:
		return RoleUser
	case Curate, Oversee:
		return RoleCurator
	case Administer:
		return RoleAdmin
	default:
		return ""
	}
}

// Actor is who is calling: a user of the library and what the caller's
// credentials allow.
type Actor struct {
	User        User // only with an e-mail address until the record is loaded; a change loads it in its transaction
	Authorities []string
	FromRecord  bool        // the authorities are the roles of the user's record
	Subject     string      // to whom the record must be tied; "" if that does not matter
	Credentials Credentials // nil for an actor who needs none
	Stranger    bool        // somebody of whom nothing is known; see Stranger
}

// Stranger is anybody who has shown no credentials. There are some only where the catalogue is
// public; they see what a user without a role, a loan or a hold sees of it.
func Stranger() Actor { return Actor{Stranger: true} }

// Has reports whether the actor may act in the role.
func (a Actor) Has(r Role) bool { return slices.Contains(a.Authorities, r.Authority()) }

// Authorize returns nil if the actor may do p, and ErrForbidden with the
// missing role otherwise.
func (a Actor) Authorize(p Permission) error {
	if a.Stranger && p != Browse {
		return ErrForbidden
	}
	role := p.Role()
	if role == "" || a.Has(role) || p == Oversee && a.IsStaff() {
		return nil
	}
	return MissingRole(role)
}

// Precheck refuses early what the transaction of a change would refuse. It cannot, if
// the record gives the roles and was not loaded yet; so it is for changes alone.
func (a Actor) Precheck(p Permission) error {
	if a.FromRecord && a.User.ID == "" {
		return nil
	}
	return a.Authorize(p)
}

// MissingRole is ErrForbidden with the role that is missing.
func MissingRole(role Role) error {
	return &Error{
		Kind: Forbidden, Code: ErrForbidden.Code, Role: role,
		Message: "This needs the role " + string(role) + ", which you do not have.",
	}
}

// IsStaff reports whether the actor may know who has and awaits which book.
func (a Actor) IsStaff() bool { return a.Has(RoleCurator) || a.Has(RoleAdmin) }

// Sees reports whether the actor may know of somebody's loan or hold.
func (a Actor) Sees(p Person) bool { return a.IsStaff() || p.ID != "" && p.ID == a.User.ID }

// Handles is the permission by which the actor may change somebody's loan or
// hold: curators anybody's, readers their own.
func (a Actor) Handles(p Person) (Permission, error) {
	if a.Has(RoleCurator) || p.ID != a.User.ID {
		return Curate, a.Authorize(Curate)
	}
	return Lend, a.Authorize(Lend)
}

// ListsOf is whose loans and holds the actor gets who asks for those of a user,
// or of everybody.
func (a Actor) ListsOf(userID string) (string, error) {
	switch {
	case a.IsStaff():
		return userID, nil
	case userID == "" || userID == a.User.ID:
		return a.User.ID, nil
	}
	return "", a.Authorize(Oversee)
}
