package library

import (
	"context"
	"slices"
	"time"
)

// Limits of a user's fields, in code points.
const (
	MaxEmail = 254
	MaxName  = 100
)

// User is a person, or a program, that the library knows. Callers are matched
// to users by their e-mail address; the library keeps no passwords.
type User struct {
	ID string
	UserFields
	Created time.Time
	Version string // another one after each edit
}

// UserFields is what admins edit. Nil Roles in an edit leave the roles as they
// are; an empty slice takes them all away.
type UserFields struct {
	Email     string
	FirstName string
	LastName  string
	Roles     []Role
}

// weight is about how many bytes the user takes in memory.
func (u User) weight() int {
	return 512 + len(u.Email) + len(u.FirstName) + len(u.LastName)
}

func (f *UserFields) normalize() error {
	var bad faults
	f.Email = bad.email("email", f.Email)
	f.FirstName = bad.requiredLine("firstName", f.FirstName, MaxName)
	f.LastName = bad.requiredLine("lastName", f.LastName, MaxName)
	f.Roles = bad.roles("roles", f.Roles)
	return bad.err()
}

// Check reports every fault of the fields.
func (f UserFields) Check() []Detail { return details(f.normalize()) }

// Authorities is what the user's own record allows.
func (u User) Authorities() []string {
	out := make([]string, len(u.Roles))
	for i, r := range u.Roles {
		out[i] = r.Authority()
	}
	return out
}

// User returns one user.
func (s *Service) User(ctx context.Context, a Actor, id string) (User, error) {
	if err := a.Authorize(Administer); err != nil {
		return User{}, err
	}
	return s.store.User(ctx, id)
}

// AddUser adds a user. An empty id asks for a new one.
func (s *Service) AddUser(ctx context.Context, a Actor, id string, f UserFields) (User, error) {
	if err := a.Authorize(Administer); err != nil {
		return User{}, err
	}
	u, err := s.newUser(id, f)
	if err != nil {
		return User{}, err
	}
	err = s.change(ctx, a, Administer, subject{}, func(tx Tx, _ Actor, _ Book) error { return tx.AddUser(ctx, u) })
	return u, err
}

func (s *Service) newUser(id string, f UserFields) (User, error) {
	if err := f.normalize(); err != nil {
		return User{}, err
	}
	return User{ID: orNewID(id), UserFields: f, Created: s.now(), Version: newVersion()}, nil
}

// EditUser replaces a user's fields. It fails with ErrOutdated unless pre
// accepts the version that is being replaced.
func (s *Service) EditUser(ctx context.Context, a Actor, id string, f UserFields, pre Precondition) (User, error) {
	if err := a.Authorize(Administer); err != nil {
		return User{}, err
	}
	if err := f.normalize(); err != nil {
		return User{}, err
	}
	var u User
	err := s.change(ctx, a, Administer, subject{lock: UserLock}, func(tx Tx, a Actor, _ Book) error {
		var err error
		if u, err = tx.User(ctx, id); err != nil {
			return err
		}
		if !pre.accepts(u.Version) {
			return ErrOutdated
		}
		fields := f // Tx may run this twice: leave f as it came
		if fields.Roles == nil {
			fields.Roles = u.Roles
		}
		if err := keepAnAdmin(ctx, tx, a, u, fields.Roles); err != nil {
			return err
		}
		u.UserFields, u.Version = fields, newVersion()
		return tx.UpdateUser(ctx, u)
	})
	return u, err
}

// keepAnAdmin refuses to take the role from the last admin where the record is
// all that gives it: nobody could give it back. Edits run one after the other, so that two
// admins cannot both rely on the other.
func keepAnAdmin(ctx context.Context, tx Tx, a Actor, u User, roles []Role) error {
	if !a.FromRecord || !slices.Contains(u.Roles, RoleAdmin) || slices.Contains(roles, RoleAdmin) {
		return nil
	}
	others, err := tx.HasAdmin(ctx, u.ID)
	if err == nil && !others {
		return ErrLastAdmin
	}
	return err
}

// RemoveUser removes a user who has no borrowed books. Past loans stay, but
// forget the person.
func (s *Service) RemoveUser(ctx context.Context, a Actor, id string, pre Precondition) error {
	return s.change(ctx, a, Administer, subject{lock: UserLock}, func(tx Tx, a Actor, _ Book) error {
		u, err := tx.User(ctx, id)
		if err != nil {
			return err
		}
		if !pre.accepts(u.Version) {
			return ErrOutdated
		}
		if u.ID == a.User.ID {
			return ErrOwnAccount
		}
		has, err := tx.HasOpenLoans(ctx, id)
		if err != nil {
			return err
		}
		if has {
			return ErrUserHasBooks
		}
		return tx.DeleteUser(ctx, id)
	})
}

// sortRoles puts roles into their usual order, each once.
func sortRoles(roles []Role) []Role {
	if roles == nil {
		return nil
	}
	out := make([]Role, 0, len(Roles))
	for _, r := range Roles {
		if slices.Contains(roles, r) {
			out = append(out, r)
		}
	}
	return out
}
