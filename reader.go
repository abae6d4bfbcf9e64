package library

import (
	"context"
	"slices"
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
