package library

import (
	"context"
	"errors"
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

// DirectoryQuery selects users known to directories. The zero value is all, in the order in which they were
// added.
type DirectoryQuery struct {
	ID, UserName, ExternalID, Email string // "" for any; the user name and the address without regard to ASCII case
	Removed                         bool   // also those who were removed
	Limit, Offset                   int    // 0 is no limit
}

// DirectoryStore reads users for directories.
type DirectoryStore interface {
	DirectoryUsers(ctx context.Context, q DirectoryQuery) ([]DirectoryUser, error)
	CountDirectoryUsers(ctx context.Context) (int, error)
}

// DirectoryTx reads and writes users for directories inside a transaction.
type DirectoryTx interface {
	// DirectoryUsers returns users, and locks their records.
	DirectoryUsers(ctx context.Context, q DirectoryQuery) ([]DirectoryUser, error)
	// SaveDirectoryUser writes the fields that are not of the user.
	SaveDirectoryUser(ctx context.Context, u DirectoryUser) error
}

// Refusals of directories.
var (
	ErrUserNameTaken   = errors.New("library: another record has the user name")
	ErrExternalIDTaken = errors.New("library: another record has the external identifier")
)

// DirectoryActor returns the actor for a directory with a secret of its own. It has the role of an admin, and
// no record. Where roles come from records alone, the last admin is protected from it, too.
func DirectoryActor(rolesFromRecords bool) Actor {
	return Actor{Directory: true, FromRecord: rolesFromRecords, Authorities: []string{RoleAdmin.Authority()}}
}
