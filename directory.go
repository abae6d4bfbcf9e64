package library

import (
	"context"
	"errors"
	"slices"
	"time"
)

// DirectoryUser is a user as a directory of people sees them (package scim). A record that no directory has
// made or adopted has only the fields of the user, and the address as its name at the directory.
type DirectoryUser struct {
	User
	UserName   string
	ExternalID string    // "" for none
	Kept       []byte    // attributes as they were sent, for package scim alone; nil for none
	Adopted    bool      // made or adopted by a directory
	Removed    bool      // removed by a directory: switched off, and unknown to directories
	Changed    time.Time // the last edit
}

// DirectoryQuery selects users or groups known to directories. The zero value is all, in the order in which
// they were added.
type DirectoryQuery struct {
	ID, ExternalID  string // "" for any
	UserName, Email string // of users, without regard to ASCII case
	Removed         bool   // also users who were removed
	Members         bool   // groups with their members
	Limit, Offset   int    // 0 is no limit
}

// DirectoryStore reads users and groups for directories.
type DirectoryStore interface {
	DirectoryUsers(ctx context.Context, q DirectoryQuery) ([]DirectoryUser, error)
	CountDirectoryUsers(ctx context.Context) (int, error)
	DirectoryGroups(ctx context.Context, q DirectoryQuery) ([]DirectoryGroup, error)
	CountDirectoryGroups(ctx context.Context) (int, error)
}

// DirectoryTx reads and writes users and groups for directories inside a transaction. All changes of groups
// take UserLock.
type DirectoryTx interface {
	// DirectoryUsers returns users, and locks their records.
	DirectoryUsers(ctx context.Context, q DirectoryQuery) ([]DirectoryUser, error)
	// SaveDirectoryUser writes the fields that are not of the user.
	SaveDirectoryUser(ctx context.Context, u DirectoryUser) error

	DirectoryGroups(ctx context.Context, q DirectoryQuery) ([]DirectoryGroup, error)
	// SaveDirectoryGroup adds or replaces a group without its members.
	SaveDirectoryGroup(ctx context.Context, g DirectoryGroup) error
	DeleteDirectoryGroup(ctx context.Context, id string) error
	AddMembers(ctx context.Context, groupID string, users []string) error
	RemoveMembers(ctx context.Context, groupID string, users []string) error
	// LeaveGroups takes a user out of all groups, which get a new version.
	LeaveGroups(ctx context.Context, userID, version string, now time.Time) error
	// DirectoryMembers returns users with their groups; nil stands for all who are in one or managed.
	DirectoryMembers(ctx context.Context, users []string) ([]DirectoryMember, error)
	// SetGroupRoles writes the roles that groups give to a user.
	SetGroupRoles(ctx context.Context, u User) error
}

// Refusals of directories.
var (
	ErrUserNameTaken   = errors.New("library: another record has the user name")
	ErrExternalIDTaken = errors.New("library: another record has the external identifier")
	ErrGroupNotFound   = errors.New("library: there is no such group")
	ErrNoMember        = errors.New("library: a member is not known")
)

// DirectoryActor returns the actor for a directory with a secret of its own. It has the role of an admin, and
// no record. Where roles come from records alone, the last admin is protected from it, too.
func DirectoryActor(rolesFromRecords bool) Actor {
	return Actor{Directory: true, FromRecord: rolesFromRecords, Authorities: []string{RoleAdmin.Authority()}}
}

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
