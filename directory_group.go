package library

import (
	"slices"
	"time"
)

// DirectoryGroup is a group of a directory of people.
type DirectoryGroup struct {
	ID          string
	DisplayName string
	ExternalID  string   // "" for none
	Members     []string // identifiers of users, in order
	Created     time.Time
	Changed     time.Time
	Version     string // another one after each change, also of members
}

// DirectoryMember is a user with the names of all of the person's groups.
type DirectoryMember struct {
	DirectoryUser
	Groups []DirectoryGroup // without members
}

// GroupRoles are the roles that groups give, by the group's display name or external identifier, byte for
// byte. Nil: groups give no roles.
type GroupRoles map[string][]Role

// Assign returns the user of a member with the roles of the groups, and whether that is a change. Users who
// were never in a group that gives roles keep theirs.
func (r GroupRoles) Assign(m DirectoryMember) (u User, changed bool) {
	u = m.User
	roles := []Role{}
	for _, g := range m.Groups {
		for _, name := range []string{g.DisplayName, g.ExternalID} {
			given, named := r[name]
			u.Managed, roles = u.Managed || named && name != "", append(roles, given...)
		}
	}
	if !u.Managed {
		return u, false
	}
	u.Roles = sortRoles(roles)
	return u, !m.Managed || !slices.Equal(u.Roles, sortRoles(m.Roles))
}
