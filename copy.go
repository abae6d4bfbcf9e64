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

// Copy returns one copy, for staff.
func (s *Service) Copy(ctx context.Context, a Actor, id string) (Copy, error) {
	if err := a.Authorize(Oversee); err != nil {
		return Copy{}, err
	}
	c, err := s.store.Copy(ctx, id)
	if err != nil {
		return Copy{}, err
	}
	return s.showCopy(ctx, c)
}

// Copies lists the copies of a book, for staff.
func (s *Service) Copies(ctx context.Context, a Actor, bookID string) ([]Copy, error) {
	if err := a.Authorize(Oversee); err != nil {
		return nil, err
	}
	if _, err := s.store.Book(ctx, bookID, a.User.ID); err != nil {
		return nil, err
	}
	copies, err := s.store.Copies(ctx, bookID)
	if err != nil {
		return nil, err
	}
	return copies, s.showCopies(ctx, copies)
}

// showCopies gives the loans of a book's copies what depends on the time, on the
// policy and on who waits.
func (s *Service) showCopies(ctx context.Context, copies []Copy) error {
	if !slices.ContainsFunc(copies, func(c Copy) bool { return c.Loan != nil }) {
		return nil
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return err
	}
	now := s.now()
	loans, err := s.store.Loans(ctx, LoanQuery{Filter: OpenLoans, BookID: copies[0].BookID, Now: now, Limit: MaxCopies})
	if err != nil {
		return err
	}
	for i := range copies {
		for _, l := range loans {
			if lent := copies[i].Loan; lent != nil && lent.ID == l.ID {
				l = l.Judged(p, now)
				copies[i].Loan = &l
			}
		}
	}
	return nil
}

func (s *Service) showCopy(ctx context.Context, c Copy) (Copy, error) {
	one := []Copy{c}
	err := s.showCopies(ctx, one)
	return one[0], err
}

// AddCopy adds a copy to a book. An empty id asks for a new one. If somebody
// waits for the book, the copy is set aside for the first.
func (s *Service) AddCopy(ctx context.Context, a Actor, bookID, id string, f CopyFields) (Copy, error) {
	if err := cmp.Or(a.Precheck(Curate), f.Normalize()); err != nil {
		return Copy{}, err
	}
	added := Copy{ID: orNewID(id), BookID: bookID, CopyFields: f, Version: NewVersion()}
	return circulate(ctx, s, a, Curate, scope{book: bookID}, func(c Circulation, now time.Time) (Decision, error) {
		added.Created = now
		return c.AddCopy(added, now)
	}, presentCopy)
}

// EditCopy replaces a copy's fields. It fails with ErrOutdated unless pre
// accepts the version that is being replaced.
func (s *Service) EditCopy(ctx context.Context, a Actor, id string, f CopyFields, pre Precondition) (Copy, error) {
	if err := cmp.Or(a.Precheck(Curate), f.Normalize()); err != nil {
		return Copy{}, err
	}
	edited, err := s.onCopy(ctx, a, id, func(c Circulation, now time.Time) (Decision, error) { return c.EditCopy(id, f, pre, now) })
	if err != nil {
		return Copy{}, err
	}
	if shown, err := s.showCopy(ctx, edited); err == nil {
		return shown, nil
	}
	return edited, nil // it is done, whatever else could not be read
}

// RemoveCopy removes a copy that is not lent.
func (s *Service) RemoveCopy(ctx context.Context, a Actor, id string, pre Precondition) error {
	_, err := s.onCopy(ctx, a, id, func(c Circulation, now time.Time) (Decision, error) { return c.RemoveCopy(id, pre, now) })
	return err
}

// onCopy asks a rule about the book of a copy.
func (s *Service) onCopy(ctx context.Context, a Actor, id string, r Rule) (Copy, error) {
	if err := a.Precheck(Curate); err != nil {
		return Copy{}, err
	}
	found, err := s.store.Copy(ctx, id)
	if err != nil {
		return Copy{}, err
	}
	c, err := circulate(ctx, s, a, Curate, scope{book: found.BookID}, r, presentCopy)
	return c, insteadOf(err, ErrBookNotFound, ErrCopyNotFound) // both have been deleted meanwhile
}
