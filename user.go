package library

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/validation"
)

// Limits of a user's fields, in code points.
const (
	MaxEmail = 254
	MaxName  = 100
	MaxGroup = 60

	MaxCategory = 40
)

// User is a person or a program with access to the library. Callers are matched to users by their
// e-mail address; the library keeps no passwords.
type User struct {
	ID string
	UserFields
	Subject string // digest of the account at the identity provider, see package signin; "" for none
	Created time.Time
	Version string // another one after each edit
	Managed bool   // the roles are those of groups of a directory, see GroupRoles

	MailProblem *MailProblem // only for admins; nil for none
}

// UserFields are the fields edited by admins. Nil Roles in an edit leave the roles as they are; an
// empty slice takes them all away. With KeepsActive an edit leaves Inactive as it is, and so on.
type UserFields struct {
	Email     string
	FirstName string
	LastName  string
	Roles     []Role
	Card      string // number of the library card; "" for none
	Locale    string // one of Locales; "" for the library's
	Silent    bool   // no reminders, please
	Group     string // a class, a department; "" for none
	Category  string // a word of the library: pupil, teacher; "" for none. Rules of lending ask for it
	Inactive  bool   // switched off: refused like an unknown caller; the record and its history stay
	Station   bool   // a machine beside the shelves, not a person: see station.go

	Note  string // of staff about the person
	Block string // the reason for lending nothing to the person; "" for none

	KeepsActive, KeepsStation, KeepsNote, KeepsBlock bool // only of an edit
}

// UserQuery selects users, by last name. The zero value is all.
type UserQuery struct {
	Terms    []Term   // in first name, last name or e-mail address
	Cards    []string // or cards beginning with one of these
	Group    string   // without regard to case; "" for any
	Category string   // without regard to ASCII case; "" for any
	Active   *bool    // nil for any
	Limit    int
	After    *Cursor
	Now      time.Time // decides the overdue loans of readers
}

// UserStore reads users.
type UserStore interface {
	// UserByEmail returns the user with this e-mail address (see EmailKey) and the revision of the
	// store. Nearly every request calls it, and its answer must never be older than the call.
	UserByEmail(ctx context.Context, email string) (User, Revision, error)
	User(ctx context.Context, id string) (User, error)
	// Users returns up to q.Limit users after q.After, by name.
	Users(ctx context.Context, q UserQuery) ([]User, error)
	CountUsers(ctx context.Context, q UserQuery) (int, error)
	// FindUsers returns the users with one of the keys; a transaction locks them.
	FindUsers(ctx context.Context, keys UserKeys) (FoundUsers, error)
}

// UserTx reads and writes users inside a transaction.
type UserTx interface {
	User(ctx context.Context, id string) (User, error)
	FindUsers(ctx context.Context, keys UserKeys) (FoundUsers, error)
	AddUser(ctx context.Context, u User) error    // ErrIdentifierTaken, ErrEmailTaken, ErrCardTaken
	UpdateUser(ctx context.Context, u User) error // ErrEmailTaken, ErrCardTaken
	DeleteUser(ctx context.Context, id string) error
	// HasAdmin reports whether somebody other than the user is an admin: see User.IsAdmin.
	HasAdmin(ctx context.Context, otherThan string) (bool, error)
}

// Weight estimates the bytes of the user in memory.
func (u User) Weight() int { return 512 + len(u.Email) + len(u.FirstName) + len(u.LastName) }

// Normalize trims the fields and reports all their faults.
func (f *UserFields) Normalize() error {
	var bad problems
	f.Email = bad.email("email", f.Email)
	f.FirstName = bad.RequiredLine("firstName", f.FirstName, MaxName)
	f.LastName = bad.RequiredLine("lastName", f.LastName, MaxName)
	f.Roles = bad.roles("roles", f.Roles)
	f.Card = bad.code("card", f.Card)
	bad.locale("locale", f.Locale)
	f.Group = bad.Line("group", f.Group, MaxGroup)
	f.Category = bad.Line("category", f.Category, MaxCategory)
	f.Note, f.Block = bad.words(f.Note, f.Block)
	return bad.err()
}

// Check returns all faults of the fields.
func (f UserFields) Check() []Detail { return details(f.Normalize()) }

// Authorities returns the authorities from the user's record.
func (u User) Authorities() []string {
	out := make([]string, len(u.Roles))
	for i, r := range u.Roles {
		out[i] = r.Authority()
	}
	return out
}

// ServiceAddress begins the e-mail addresses of programs. Keycloak gives service accounts such names.
const ServiceAddress = "service-account-"

// Cursor returns the place of the user in a list.
func (u User) Cursor() Cursor {
	return Cursor{Order: ByLastName, LastName: u.LastName, FirstName: u.FirstName, ID: u.ID}
}

// EmailKey returns the form for comparing e-mail addresses: in lower case, but only for ASCII. Unicode
// folding would let a look-alike such as the Kelvin sign pass for a letter.
func EmailKey(email string) string { return lowerASCII(email) }

// CategoryKey returns the form for comparing categories, without ASCII case.
func CategoryKey(category string) string { return lowerASCII(category) }

func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// GroupKey returns the form for comparing groups, without case.
func GroupKey(group string) string { return fulltext.FoldCase(group) }

// CheckEmail returns nil for a valid e-mail address, or its faults.
func CheckEmail(email string) error {
	var bad problems
	bad.email("email", email)
	return bad.err()
}

// Preferences are the fields that users may change about themselves. Nil leaves a value as it is.
type Preferences struct {
	Locale    *string
	Reminders *bool
}

// Check returns all faults of the preferences.
func (p Preferences) Check() []Detail {
	var bad problems
	if p.Locale != nil {
		bad.locale("locale", *p.Locale)
	}
	return details(bad.err())
}

// Locales are the languages of mails.
var Locales = []string{"en", "de"}

// LocaleOf returns the entry of Locales for a language tag, such as "de" for "de-AT"; "" for none.
func LocaleOf(tag string) string {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if slices.Contains(Locales, primary) {
		return primary
	}
	return ""
}

// locale accepts "" and the languages in Locales.
func (p *problems) locale(field, value string) {
	if value != "" && !slices.Contains(Locales, value) {
		p.Add(validation.UnknownValue(field, Locales))
	}
}

// CanBeEmail reports whether a store can compare the address: it has no control characters and is
// UTF-8.
func CanBeEmail(email string) bool {
	return utf8.ValidString(email) && !strings.ContainsFunc(email, unicode.IsControl)
}

// Edited returns the user with new fields. It fails with ErrOutdated unless pre accepts the user's
// version.
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
	if f.KeepsStation {
		f.Station = u.Station
	}
	if f.KeepsNote {
		f.Note = u.Note
	}
	if f.KeepsBlock {
		f.Block = u.Block
	}
	f.KeepsActive, f.KeepsStation, f.KeepsNote, f.KeepsBlock = false, false, false, false
	u.UserFields, u.Version = f, NewVersion()
	return u, nil
}

// MayBecome refuses to switch off the actor or to make a station of it, and to change roles that come from
// groups of a directory. Where roles come from records
// alone, it also refuses to do this to the last admin or to take the role away, because nobody could
// give it back. Edits run one after the other, so that two admins cannot both rely on the other.
func (u User) MayBecome(edited User, a Actor, hasOtherAdmin func() (bool, error)) error {
	switch {
	case u.ID != a.User.ID:
	case edited.Inactive:
		return ErrSelf
	case edited.Station:
		return ErrSelf.with("You cannot make a station of your own account; another admin can.")
	}
	if u.Managed && !slices.Equal(sortRoles(u.Roles), sortRoles(edited.Roles)) {
		return ErrManaged
	}
	if !a.FromRecord || !u.IsAdmin() || edited.IsAdmin() {
		return nil
	}
	others, err := hasOtherAdmin()
	if err == nil && !others {
		return ErrLastAdmin
	}
	return err
}

// IsAdmin reports whether the record gives the role of an admin.
func (u User) IsAdmin() bool { return !u.Inactive && !u.Station && slices.Contains(u.Roles, RoleAdmin) }

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

// A record can be tied to a subject, an account at the identity provider. Package signin decides when;
// here is its part of the store.

// SubjectStore finds users by subject.
type SubjectStore interface {
	// UserBySubject is UserByEmail for a subject.
	UserBySubject(ctx context.Context, subject string) (User, Revision, error)
}

// SubjectTx ties users to subjects inside a transaction.
type SubjectTx interface {
	// LoginUsers returns the user tied to a subject and the user with an e-mail address; zero users
	// for none.
	LoginUsers(ctx context.Context, subject, email string) (bySubject, byEmail User, err error)
	// BindUser ties a user to a subject (ErrSubjectTaken); "" unties them. Both end their
	// streams.
	BindUser(ctx context.Context, id, subject string) error
}

// ErrSubjectTaken means another record tied to the subject.
var ErrSubjectTaken = errors.New("library: another record is tied to the subject")
