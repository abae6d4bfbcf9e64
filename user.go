package library

import (
	"context"
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
)

// User is a person, or a program, that the library knows. Callers are matched
// to users by their e-mail address; the library keeps no passwords.
type User struct {
	ID string
	UserFields
	Subject string // of the identity provider to whom the record is tied: a digest, see package admission; "" for none
	Created time.Time
	Version string // another one after each edit

	MailProblem *MailProblem // only for admins; nil if there is none
}

// UserFields is what admins edit. Nil Roles in an edit leave the roles as they
// are; an empty slice takes them all away. Inactive stays as it is in an edit that
// says so.
type UserFields struct {
	Email     string
	FirstName string
	LastName  string
	Roles     []Role
	Card      string // of the library, as a scanner reads it; "" for none
	Locale    string // one of Locales; "" for the first
	Silent    bool   // no reminders, please
	Group     string // a class, a department; "" for none
	Inactive  bool   // is refused like somebody unknown, and keeps the record with all its history

	KeepsActive bool // only of an edit
}

// UserQuery says which users to list, by last name. The zero value is all.
type UserQuery struct {
	Terms []Term   // in first name, last name or e-mail address
	Cards []string // beside Terms: cards that begin with one of these match as well
	Group string   // without regard to case; "" for no matter which
	Limit int
	After *Cursor
	Now   time.Time // what is overdue, for readers
}

// UserStore is what a store does with users.
type UserStore interface {
	// UserByEmail finds the user with this e-mail address (see EmailKey) and
	// says at which revision of the store. It is called at nearly every request and
	// must never give an answer older than the call.
	UserByEmail(ctx context.Context, email string) (User, Revision, error)
	User(ctx context.Context, id string) (User, error)
	// Users returns up to q.Limit users after q.After, by name.
	Users(ctx context.Context, q UserQuery) ([]User, error)
	CountUsers(ctx context.Context, q UserQuery) (int, error)
	// FindUsers returns the users who have one of the keys; a transaction locks them.
	FindUsers(ctx context.Context, keys UserKeys) (FoundUsers, error)
}

// UserTx is what a store does with users inside a transaction.
type UserTx interface {
	User(ctx context.Context, id string) (User, error)
	FindUsers(ctx context.Context, keys UserKeys) (FoundUsers, error)
	AddUser(ctx context.Context, u User) error    // ErrIdentifierTaken, ErrEmailTaken, ErrCardTaken
	UpdateUser(ctx context.Context, u User) error // ErrEmailTaken, ErrCardTaken
	DeleteUser(ctx context.Context, id string) error
	// HasAdmin reports whether somebody else than the user has RoleAdmin and is active.
	HasAdmin(ctx context.Context, otherThan string) (bool, error)
}

// Weight is about how many bytes the user takes in memory.
func (u User) Weight() int { return 512 + len(u.Email) + len(u.FirstName) + len(u.LastName) }

// Normalize takes away white space around the fields, and reports everything that is wrong with them.
func (f *UserFields) Normalize() error {
	var bad problems
	f.Email = bad.email("email", f.Email)
	f.FirstName = bad.RequiredLine("firstName", f.FirstName, MaxName)
	f.LastName = bad.RequiredLine("lastName", f.LastName, MaxName)
	f.Roles = bad.roles("roles", f.Roles)
	f.Card = bad.code("card", f.Card)
	f.Locale = bad.locale("locale", f.Locale)
	f.Group = bad.Line("group", f.Group, MaxGroup)
	return bad.err()
}

// Check reports everything that is wrong with the fields.
func (f UserFields) Check() []Detail { return details(f.Normalize()) }

// Authorities is what the user's own record allows.
func (u User) Authorities() []string {
	out := make([]string, len(u.Roles))
	for i, r := range u.Roles {
		out[i] = r.Authority()
	}
	return out
}

// ServiceAddress begins the e-mail address of every account that is a program's and
// nobody's own. Keycloak gives service accounts such names.
const ServiceAddress = "service-account-"

// Cursor is the place of the user in a list.
func (u User) Cursor() Cursor {
	return Cursor{Order: ByLastName, LastName: u.LastName, FirstName: u.FirstName, ID: u.ID}
}

// EmailKey is the form in which e-mail addresses are compared: without regard
// to ASCII case, and to nothing else. Unicode folding would let a look-alike
// such as the Kelvin sign pass for a letter.
func EmailKey(email string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, email)
}

// GroupKey is the form in which groups are compared: without regard to case.
func GroupKey(group string) string { return fulltext.FoldCase(group) }

// CheckEmail reports what is wrong with an e-mail address, if anything is.
func CheckEmail(email string) error {
	var bad problems
	bad.email("email", email)
	return bad.err()
}

// Preferences is what users may change about themselves. Nil leaves a value as
// it is.
type Preferences struct {
	Locale    *string
	Reminders *bool
}

// Check reports everything that is wrong with the preferences.
func (p Preferences) Check() []Detail {
	var bad problems
	if p.Locale != nil {
		bad.locale("locale", *p.Locale)
	}
	return details(bad.err())
}

// Locales are the languages in which the library writes to people.
var Locales = []string{"en", "de"}

func (p *problems) locale(field, value string) string {
	if value == "" {
		return Locales[0]
	}
	if !slices.Contains(Locales, value) {
		p.Add(validation.UnknownValue(field, Locales))
	}
	return value
}

// CanBeEmail reports whether a record can hold the address.
func CanBeEmail(email string) bool {
	return utf8.ValidString(email) && !strings.ContainsFunc(email, unicode.IsControl)
}
