package library

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"example.org/library/internal/validation"
)

// Limits of a copy's fields, in characters. A card has the limit of a barcode.
const (
	MaxBarcode = 40
	MaxShelf   = 100
	MaxNote    = 1000
	MaxCopies  = 999 // of one book
)

// CopyState decides whether a copy can be lent.
type CopyState string

const (
	Lendable  CopyState = "lendable"
	Reference CopyState = "reference" // stays in the library
	Damaged   CopyState = "damaged"
	Lost      CopyState = "lost"
	Missing   CopyState = "missing" // looked for and not found
)

// CopyStates is every state of a copy.
var CopyStates = []CopyState{Lendable, Reference, Damaged, Lost, Missing}

// Copy is one item on a shelf. A book may have many.
type Copy struct {
	ID     string
	BookID string
	CopyFields
	Created time.Time
	Version string // another one after each edit; lending leaves it alone
	Loan    *Loan  // the open loan, or nil
	Hold    *Hold  // the ready hold with this copy set aside, or nil

	Book BookRef // only in lists of the copies of all books

	Seen         time.Time // when the library last knew its place; zero for never
	MissingSince time.Time // zero unless it is missing
	Before       CopyState // of a missing copy: Lendable or Reference, as before
}

// CopyFields are the fields edited by curators.
type CopyFields struct {
	Barcode string // "" for none
	Shelf   string
	Note    string
	State   CopyState // "" stands for Lendable
}

// CopyQuery selects copies of all books, by shelf, those without one last, then title, barcode and identifier.
type CopyQuery struct {
	State      CopyState // "" for any
	Shelf      string    // "" for any
	BookID     string    // "" for any book
	SeenBefore time.Time // not seen since then; zero for all
	NeverLent  *bool     // whether there is no loan of the copy; nil for both
	IDs        []string  // nil for all
	Now        time.Time // of the loans

	StocktakeID, Outcome string // the copies in a list of a stocktake (package stocktake); "" for all

	Limit int
	After *Cursor
}

// CopyStore reads copies, with their loans, holds and the people of them.
type CopyStore interface {
	Copy(ctx context.Context, id string) (Copy, error)               // ErrCopyNotFound
	CopyByBarcode(ctx context.Context, barcode string) (Copy, error) // ErrCopyNotFound
	// CopyInHand returns the copy with an identifier or, if that is "", with a barcode: its identifier,
	// its state and the identifier of its book, nothing else. ErrCopyNotFound.
	CopyInHand(ctx context.Context, id, barcode string) (Copy, error)
	// Copies returns the copies of a book, the oldest first.
	Copies(ctx context.Context, bookID string) ([]Copy, error)
	// ListCopies returns copies with their Book, and loans with Awaited and BorrowerOverdue. CopyPlaces returns
	// only what their cursors have.
	ListCopies(ctx context.Context, q CopyQuery) ([]Copy, error)
	CopyPlaces(ctx context.Context, q CopyQuery) ([]Copy, error)
	CountCopies(ctx context.Context, q CopyQuery) (int, error)
	// CopiesOf returns the copies of several books in that order, book by book, without their
	// loans, holds and notes.
	CopiesOf(ctx context.Context, bookIDs []string) ([]Copy, error)
}

// Weight estimates the bytes of the copy in memory.
func (c Copy) Weight() int { return 1024 + 2*c.Book.Weight() + len(c.Note) }

// Cursor returns the place of the copy in a list of all copies.
func (c Copy) Cursor() Cursor {
	return Cursor{Order: ByShelf, Shelf: c.Shelf, Title: c.Book.Title, Barcode: c.Barcode, ID: c.ID}
}

// free reports whether the copy can be given to the next person in the queue.
func (c Copy) free() bool { return c.State == Lendable && c.Loan == nil && c.Hold == nil }

// fetchedAfter reports whether staff have fetched the copy for its hold after t.
func (c Copy) fetchedAfter(t time.Time) bool { return c.Hold != nil && c.Hold.Fetched.After(t) }

// Normalize trims the fields and reports all their faults.
func (f *CopyFields) Normalize() error {
	var bad problems
	f.Barcode = bad.code("barcode", f.Barcode)
	f.Shelf = bad.Line("shelf", f.Shelf, MaxShelf)
	f.Note = bad.Text("note", f.Note, MaxNote)
	f.State = bad.copyState("state", f.State)
	return bad.err()
}

// Normalized returns the trimmed fields and all their faults.
func (f CopyFields) Normalized() (CopyFields, []Detail) {
	bad := details(f.Normalize())
	return f, bad
}

// Check returns all faults of the fields.
func (f CopyFields) Check() []Detail { return details(f.Normalize()) }

// code checks a barcode or a card number. Scanners read both, and paths contain them, so they are
// plain.
func (p *problems) code(field, value string) string {
	value = strings.TrimSpace(value)
	switch {
	case len(value) > MaxBarcode:
		p.Add(validation.TooLong(field, MaxBarcode))
	case value != "" && !IsCode(value):
		p.Add(validation.NotACode(field))
	}
	return value
}

// IsCode reports whether a text can be a barcode or the number of a card.
func IsCode(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && s != "." && len(s) <= MaxBarcode && !strings.ContainsAny(s, "/;%?#") && !strings.Contains(s, "..")
}

func (p *problems) copyState(field string, state CopyState) CopyState {
	if state == "" {
		return Lendable
	}
	if !slices.Contains(CopyStates, state) {
		p.Add(validation.UnknownValue(field, CopyStates))
	}
	return state
}

// SeeCopy records that somebody at the desk has the copy in hand. A missing copy is lendable again, or
// stays in the library as before, and its queue is served.
func (c Circulation) SeeCopy(id string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	seen := r.copy(id)
	if seen == nil {
		return Decision{}, ErrCopyNotFound
	}
	since := seen.MissingSince
	r.see(seen)
	r.settle()
	d := r.decide(nil, nil, seen)
	d.MissingSince = since
	return d, nil
}

// see notes the time, because the library knows the place of a copy now. A missing copy is again as it
// was.
func (r *ruling) see(c *Copy) {
	c.Seen = r.now
	if c.State == Missing {
		found := c.CopyFields
		found.State = cmp.Or(c.Before, Lendable)
		c.become(found, r.now)
		c.Version = NewVersion()
	}
}

// become gives a copy other fields. A copy that becomes missing remembers since when, and its state of
// before.
func (c *Copy) become(f CopyFields, now time.Time) {
	switch {
	case f.State != Missing:
		c.MissingSince, c.Before = time.Time{}, ""
	case c.State != Missing:
		c.MissingSince, c.Before = now, Lendable
		if c.State == Reference {
			c.Before = Reference
		}
	}
	c.CopyFields = f
}
