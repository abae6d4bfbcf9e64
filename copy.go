package library

import (
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

// CopyState says what may be done with a copy.
type CopyState string

const (
	Lendable  CopyState = "lendable"
	Reference CopyState = "reference" // stays in the library
	Damaged   CopyState = "damaged"
	Lost      CopyState = "lost"
)

// CopyStates is every state of a copy.
var CopyStates = []CopyState{Lendable, Reference, Damaged, Lost}

// Copy is one item on a shelf, which can be lent. A book may have many.
type Copy struct {
	ID     string
	BookID string
	CopyFields
	Created time.Time
	Version string // another one after each edit; lending leaves it alone
	Loan    *Loan  // the open loan, if there is one
	Hold    *Hold  // the ready hold for which the copy is set aside, if there is one
}

// CopyFields is what curators edit.
type CopyFields struct {
	Barcode string // "" for none
	Shelf   string
	Note    string
	State   CopyState // "" stands for Lendable
}

// CopyStore is what a store does with copies. Those that it returns come with
// their loan and hold, and the people of them.
type CopyStore interface {
	Copy(ctx context.Context, id string) (Copy, error)               // ErrCopyNotFound
	CopyByBarcode(ctx context.Context, barcode string) (Copy, error) // ErrCopyNotFound
	// Copies returns the copies of a book in the order in which they were added.
	Copies(ctx context.Context, bookID string) ([]Copy, error)
}

// free reports whether the copy can be given to the next person in the queue.
func (c Copy) free() bool { return c.State == Lendable && c.Loan == nil && c.Hold == nil }

// Normalize takes away white space around the fields, and reports everything that is wrong with them.
func (f *CopyFields) Normalize() error {
	var bad problems
	f.Barcode = bad.code("barcode", f.Barcode)
	f.Shelf = bad.Line("shelf", f.Shelf, MaxShelf)
	f.Note = bad.Text("note", f.Note, MaxNote)
	f.State = bad.copyState("state", f.State)
	return bad.err()
}

// Normalized is the fields without white space around them, and everything that is wrong
// with them.
func (f CopyFields) Normalized() (CopyFields, []Detail) {
	bad := details(f.Normalize())
	return f, bad
}

// Check reports everything that is wrong with the fields.
func (f CopyFields) Check() []Detail { return details(f.Normalize()) }

// code is a barcode or the number of a card. Both are read by scanners and stand
// in paths, so they are plain.
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
