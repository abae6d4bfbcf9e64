// Package stocktake compares the shelves with the records. A stocktake fixes the expected copies at its start, people
// scan all they find, and at the end the rest can be marked as missing. Lending goes on meanwhile.
//
// It is a part of the domain. It changes a copy only through the rules of package library: a scanned copy is seen, and
// an edit moves it to another shelf or marks it as missing. Start reading at [Service.Scan]; [Judge] has the outcomes.
package stocktake

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/validation"
)

// Limits of a stocktake and of a request with scans.
const (
	MaxName    = 100
	MaxShelves = 100
	MaxCodes   = 500 // with the identifiers of copies
	MaxCode    = 200
)

// State says if a stocktake goes on.
type State string

const (
	Open   State = "open"
	Closed State = "closed"
)

// Stocktake is a search for everything on some shelves.
type Stocktake struct {
	ID      string
	Name    string
	Shelves []string // nil for all
	Started time.Time
	Closed  time.Time // zero while it is open
	Numbers
	Swaps []Swap // only of a single one that is open
}

// Numbers count the copies of a stocktake.
type Numbers struct {
	Expected  int             `json:"expected"`  // on the shelves at the start
	Remaining int             `json:"remaining"` // of these: not scanned, and nothing else is known of them since
	Away      int             `json:"away"`      // lent or set aside at the start
	Marked    int             `json:"marked"`    // became missing at the end
	Counts    map[Outcome]int `json:"counts"`    // copies by their first scan, codes of no copy, and scans for Again
}

// State returns Open until the stocktake is closed.
func (s Stocktake) State() State {
	if s.Closed.IsZero() {
		return Open
	}
	return Closed
}

// Swap is a proposal: a loan of a copy on the shelf, and a copy of the same book not found by anybody.
type Swap struct {
	LoanID        string
	Scanned, Free library.Copy
}

// Fields are the fields of a new stocktake.
type Fields struct {
	Name    string
	Shelves []string // nil for all; [Fields.Normalize] refuses none
}

// Normalize trims the name, leaves out repeated shelves and returns all faults. Shelves stay as they are.
func (f *Fields) Normalize() []library.Detail {
	var bad validation.Problems
	f.Name = bad.RequiredLine("name", f.Name, MaxName)
	switch {
	case f.Shelves == nil:
	case len(f.Shelves) == 0:
		bad.Add(validation.Required("shelves"))
	case len(f.Shelves) > MaxShelves:
		bad.Add(validation.TooMany("shelves", MaxShelves))
	}
	for i, shelf := range f.Shelves[:min(len(f.Shelves), MaxShelves)] {
		checkShelf(&bad, fmt.Sprintf("shelves[%d]", i), shelf)
	}
	f.Shelves = distinct(f.Shelves)
	return bad
}

func checkShelf(bad *validation.Problems, field, shelf string) {
	if bad.Line(field, shelf, library.MaxShelf); shelf == "" {
		bad.Add(validation.Required(field))
	} else if utf8.RuneCountInString(shelf) > library.MaxShelf && len(*bad) == 0 {
		bad.Add(validation.TooLong(field, library.MaxShelf)) // with the white space at its ends
	}
}

// distinct leaves out repetitions. The rest stays in its order.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Overlaps reports whether two stocktakes have a shelf in common.
func (s Stocktake) Overlaps(other Stocktake) bool {
	if s.Shelves == nil || other.Shelves == nil {
		return true
	}
	return slices.ContainsFunc(s.Shelves, func(shelf string) bool { return slices.Contains(other.Shelves, shelf) })
}

// Scans are codes of things in the hand, and copies ticked off by their identifiers.
type Scans struct {
	Codes   []string
	CopyIDs []string
	Shelf   string // where the person stands; "" if unknown
	Move    bool   // copies of elsewhere belong to this shelf from now on
}

// Normalize trims the codes and returns all faults, except those found by [Scans.Fit].
func (s *Scans) Normalize() []library.Detail {
	var bad validation.Problems
	switch n := len(s.Codes) + len(s.CopyIDs); {
	case n == 0:
		bad.Add(validation.Required("codes"))
	case n > MaxCodes:
		bad.Add(validation.TooMany("codes", MaxCodes))
	}
	for i, code := range s.Codes[:min(len(s.Codes), MaxCodes)] {
		if s.Codes[i] = strings.TrimSpace(code); utf8.RuneCountInString(s.Codes[i]) > MaxCode {
			bad.Add(validation.TooLong(fmt.Sprintf("codes[%d]", i), MaxCode))
		}
	}
	if s.Shelf != "" {
		checkShelf(&bad, "shelf", s.Shelf)
	}
	return bad
}

// Fit checks where the person stands, and returns the shelf of moved copies.
func (s Scans) Fit(in Stocktake) (to string, err error) {
	if s.Shelf != "" && in.Shelves != nil && !slices.Contains(in.Shelves, s.Shelf) {
		return "", library.InvalidFields(library.Detail{Field: "shelf", Code: validation.CodeUnknownValue, Message: "is none of this stocktake"})
	}
	switch {
	case !s.Move:
		return "", nil
	case s.Shelf != "":
		return s.Shelf, nil
	case len(in.Shelves) == 1:
		return in.Shelves[0], nil
	}
	return "", library.InvalidFields(library.Detail{Field: "shelf", Code: validation.CodeRequired, Message: "is required to move copies to it, because the stocktake has several shelves"})
}
