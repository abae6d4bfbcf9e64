package library

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.org/library/internal/fulltext"
)

// Person has the fields of a user visible to other people.
type Person struct {
	ID        string
	FirstName string
	LastName  string
	Group     string // see UserFields
	Version   string
}

// Reader is a person with the fields for the desk. Programs are not readers; see ServiceAddress.
type Reader struct {
	Person
	Category string // see UserFields
	Card     string // "" for none
	Inactive bool   // see UserFields: may not borrow
	Station  bool   // the same
	Note     string // see UserFields
	Block    string // the same: may not borrow, renew or reserve
	Loans    int    // open ones
	Overdue  int    // overdue ones among them
	Holds    int    // active and not past their end, even before housekeeping has expired them

	// These are loaded where the policy limits kinds: Loans and Holds by the kind of their book.
	LoansOfKind, HoldsOfKind map[string]int

	Unreachable bool // a mail server refuses the address; set by the caller of a store, see MailProblems
}

// ReaderQuery selects readers, by last name. The zero value selects all. Stations are none.
//
// Staff see no e-mail addresses of readers, and must not find one out letter by letter. So Terms are
// looked for in names only, and an address finds its reader only as a whole.
type ReaderQuery struct {
	UserQuery
	Email string // or readers with this address
	Card  string // "" for any
	ID    string // "" for any
}

// FindsName reports whether a name has all the Terms.
func (q ReaderQuery) FindsName(p Person) bool {
	words := fulltext.Index(p.FirstName, p.LastName)
	return !slices.ContainsFunc(q.Terms, func(t Term) bool { return !t.Matches(words) })
}

// ReaderStore reads readers. Now decides about overdue loans and expired holds.
type ReaderStore interface {
	Readers(ctx context.Context, q ReaderQuery) ([]Reader, error)
	CountReaders(ctx context.Context, q ReaderQuery) (int, error)
	// CountKinds returns the open loans and active holds of a user by the kind of their book.
	CountKinds(ctx context.Context, userID string, now time.Time) (loans, holds map[string]int, err error)
}

// Cursor returns the place of the reader in a list.
func (r Reader) Cursor() Cursor {
	return Cursor{Order: ByLastName, LastName: r.LastName, FirstName: r.FirstName, ID: r.ID}
}

// MaxBlock limits the reason for a block, in code points. A note is limited like that of a copy.
const MaxBlock = 200

// ReaderFields are the fields of a person edited by curators.
type ReaderFields struct {
	Card  string
	Note  string // may have line breaks
	Block string // the reason for lending nothing to the person; "" for none
}

// Check returns all faults of the fields.
func (f ReaderFields) Check() []Detail {
	bad := problems{}
	f.normalize(&bad)
	return details(bad.err())
}

// Normalize trims the fields and reports all their faults.
func (f *ReaderFields) Normalize() error {
	bad := problems{}
	f.normalize(&bad)
	return bad.err()
}

func (f *ReaderFields) normalize(bad *problems) {
	f.Card = bad.code("card", f.Card)
	f.Note, f.Block = bad.words(f.Note, f.Block)
}

// words checks a note and a block.
func (p *problems) words(note, block string) (trimmedNote, trimmedBlock string) {
	return p.Text("note", note, MaxNote), p.Line("block", block, MaxBlock)
}

// EditedAtDesk returns the user with new fields for the desk. Curators do not change their own note or
// block. A station or a program is no reader.
func (u User) EditedAtDesk(f ReaderFields, a Actor, pre Precondition) (User, error) {
	switch {
	case u.Station || strings.HasPrefix(EmailKey(u.Email), ServiceAddress):
		return User{}, ErrUserNotFound
	case !pre.Accepts(u.Version):
		return User{}, ErrOutdated
	case u.ID == a.User.ID && (f.Note != u.Note || f.Block != u.Block):
		return User{}, ErrSelf.with("You cannot change your own note or block; another curator can.")
	}
	u.Card, u.Note, u.Block, u.Version = f.Card, f.Note, f.Block, NewVersion()
	return u, nil
}

// mayBeServed returns nil, or the refusal of a blocked reader.
func (r Reader) mayBeServed() error {
	if r.Block != "" {
		return ErrBlocked
	}
	return nil
}

// ExplainBlock gives staff the reason for the block of another person; the person is asked to come to
// the desk.
func (r Reader) ExplainBlock(err error, a Actor) error {
	if err == ErrBlocked && a.IsStaff() && a.User.ID != r.ID {
		return ErrBlocked.with("The reader is blocked: %s", r.Block)
	}
	return err
}
