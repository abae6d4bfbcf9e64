package library

import (
	"context"
	"slices"

	"example.org/library/internal/fulltext"
)

// Person is a user as far as other people may see one.
type Person struct {
	ID        string
	FirstName string
	LastName  string
	Group     string // see UserFields
	Version   string
}

// Reader is a person as the desk sees one. Users that are programs are none; see ServiceAddress.
type Reader struct {
	Person
	Card     string // "" for none
	Inactive bool   // see UserFields: nothing more is lent to them
	Loans    int    // open ones
	Overdue  int    // of those
	Holds    int    // active ones whose time is not over, whether that has been noted or not

	Unreachable bool // by mail: the address is refused. A store does not say it; see MailProblems
}

// ReaderQuery says which readers to list, by last name. The zero value is all.
//
// Those who look for readers are not shown e-mail addresses, and must not find one
// out letter by letter. So Terms are looked for in the name alone, and of an
// address only the whole finds its reader.
type ReaderQuery struct {
	UserQuery
	Email string // beside Terms: who has this address matches as well
	Card  string // "" for no matter which
}

// FindsName reports whether a name has all the Terms.
func (q ReaderQuery) FindsName(p Person) bool {
	words := fulltext.Index(p.FirstName, p.LastName)
	return !slices.ContainsFunc(q.Terms, func(t Term) bool { return !t.Matches(words) })
}

// ReaderStore is what a store does with readers. Now decides what is overdue,
// and which holds are over.
type ReaderStore interface {
	Readers(ctx context.Context, q ReaderQuery) ([]Reader, error)
	CountReaders(ctx context.Context, q ReaderQuery) (int, error)
}

// Cursor is the place of the reader in a list.
func (r Reader) Cursor() Cursor {
	return Cursor{Order: ByLastName, LastName: r.LastName, FirstName: r.FirstName, ID: r.ID}
}
