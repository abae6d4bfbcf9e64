package library

import (
	"errors"
	"slices"
	"strings"
)

// Role is a role of a user.
type Role string

const (
	RoleUser    Role = "LIBRARY_USER"    // lists, borrows and returns books
	RoleCurator Role = "LIBRARY_CURATOR" // adds, edits and deletes books
	RoleAdmin   Role = "LIBRARY_ADMIN"   // lists, adds, edits and removes users
)

// Roles lists the roles in their usual order.
var Roles = []Role{RoleUser, RoleCurator, RoleAdmin}

// sortRoles puts roles into their usual order, each once.
func sortRoles(roles []Role) []Role {
	if roles == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(Roles), func(r Role) bool { return !slices.Contains(roles, r) })
}

// Authority returns the authority of the role, as callers hold it.
func (r Role) Authority() string { return "ROLE_" + string(r) }

// Scope returns the OAuth scope of the role.
func (r Role) Scope() string { return strings.ToLower(string(r)) }

// Permission is a group of operations. Each belongs to a role.
type Permission int

const (
	Begin      Permission = iota // look at one's own record and at the policy: every caller, also a station
	Read                         // look at more of oneself: every caller but a station
	Browse                       // look at the catalogue: every caller, and strangers if it is public
	Lend                         // borrow and return
	Curate                       // add, edit and delete books
	Administer                   // list, add, edit and remove users
	Oversee                      // look at copies, and at everybody's loans and holds: curators and admins
	Serve                        // lend to a card and take back: stations alone
)

// Role returns the role needed for the permission, "" if every caller has it. Oversee accepts
// RoleAdmin, too.
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

// Actor is a caller: a user of the library with the authorities of the credentials.
type Actor struct {
	User        User // only with an e-mail address until the record is loaded; a change loads it in its transaction
	Authorities []string
	FromRecord  bool        // the authorities are the roles of the user's record
	Subject     string      // of the credentials; a record tied to another one is not the actor's; "" for any
	Credentials Credentials // nil for an actor without credentials
	Stranger    bool        // a caller without credentials; see Stranger
	Directory   bool        // a directory with a secret, without a record; see DirectoryActor
}

// Stranger returns the actor of a request without credentials. Only a public catalogue lets strangers
// in; they see it like a user without roles, loans and holds.
func Stranger() Actor { return Actor{Stranger: true} }

// Has reports whether the actor may act in the role.
func (a Actor) Has(r Role) bool { return slices.Contains(a.Authorities, r.Authority()) }

// Authorize returns nil if the actor may do p, and ErrForbidden with the
// missing role otherwise.
func (a Actor) Authorize(p Permission) error {
	switch {
	case a.Stranger && p != Browse:
		return ErrForbidden
	case a.User.Station && p != Begin && p != Serve:
		return ErrStation
	case p == Serve && !a.User.Station:
		return ErrNoStation
	}
	role := p.Role()
	if role == "" || a.Has(role) || p == Oversee && a.IsStaff() {
		return nil
	}
	return MissingRole(role)
}

// Precheck makes the check of a change early, before its transaction. It accepts everybody if the
// roles come from a record not loaded yet, so it is not enough for reads.
func (a Actor) Precheck(p Permission) error {
	if a.FromRecord && a.User.ID == "" {
		return nil
	}
	return a.Authorize(p)
}

// MissingRole returns ErrForbidden with the missing role.
func MissingRole(role Role) error {
	return &Error{
		Kind: Forbidden, Code: ErrForbidden.Code, Role: role,
		Message: "This needs the role " + string(role) + ", which you do not have.",
	}
}

// IsStaff reports whether the actor may see everybody's loans and holds.
func (a Actor) IsStaff() bool { return a.Has(RoleCurator) || a.Has(RoleAdmin) }

// Sees reports whether the actor may see a person's loans and holds.
func (a Actor) Sees(p Person) bool { return a.IsStaff() || p.ID != "" && p.ID == a.User.ID }

// MayCirculate returns nil if the actor may borrow and return, or is at the desk.
func (a Actor) MayCirculate() error {
	if a.Has(RoleCurator) {
		return nil
	}
	return a.Authorize(Lend)
}

// Handles returns the permission for changing a person's loan or hold: curators change anybody's,
// readers their own.
func (a Actor) Handles(p Person) (Permission, error) {
	if a.Has(RoleCurator) || p.ID != a.User.ID {
		return Curate, a.Authorize(Curate)
	}
	return Lend, a.Authorize(Lend)
}

// ListsOf returns the user to list loans and holds of, if the actor asks for a user, or "" for all.
func (a Actor) ListsOf(userID string) (string, error) {
	switch {
	case a.IsStaff():
		return userID, nil
	case userID == "" || userID == a.User.ID:
		return a.User.ID, nil
	}
	return "", a.Authorize(Oversee)
}

// A caller's standing is the user's record, the roles and the credentials. It is checked in the
// transaction of a change, which loads the record by the caller's e-mail address: the request may have
// waited for its body, or for a lock.

// Credentials are a caller's token or password.
type Credentials interface {
	// StillValid returns nil, or the reason to refuse the credentials now.
	StillValid() error
	// Loaded receives the caller's record each time the transaction of a change has loaded it.
	Loaded(User)
}

// ErrCallerGone means a caller without a record, or switched off.
var ErrCallerGone = errors.New("library: the caller is no longer a user")

// Reauthorize returns the actor with its present record, if the record and the credentials still allow
// p.
func (a Actor) Reauthorize(u User, p Permission) (Actor, error) {
	if !a.Is(u) {
		return Actor{}, ErrCallerGone
	}
	if err := a.CheckCredentials(); err != nil {
		return Actor{}, err
	}
	a = a.WithUser(u)
	return a, a.Authorize(p)
}

// WithUser returns the actor with its record. A station has no authorities, whatever its credentials
// say.
func (a Actor) WithUser(u User) Actor {
	a.User = u
	switch {
	case u.Station:
		a.Authorities = nil
	case a.FromRecord:
		a.Authorities = u.Authorities()
	}
	return a
}

// Is reports whether a record is the actor's and active. Before loading, an actor has an e-mail
// address and no identifier.
func (a Actor) Is(u User) bool {
	return !u.Inactive && a.mayOwn(u.Subject) && (a.User.ID == "" || a.User.ID == u.ID) && EmailKey(a.User.Email) == EmailKey(u.Email)
}

// mayOwn reports whether a record tied to the subject, or to none if it is "", can be the actor's. A
// record that was not tied at the beginning of the request may stay so.
func (a Actor) mayOwn(subject string) bool {
	wasUntied := a.User.ID != "" && a.User.Subject == ""
	return a.Subject == "" || a.Subject == subject || subject == "" && wasUntied
}

// CheckCredentials returns nil, or the reason to refuse the credentials now.
func (a Actor) CheckCredentials() error {
	if a.Credentials == nil {
		return nil
	}
	return a.Credentials.StillValid()
}
