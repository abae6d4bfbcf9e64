package stocktake

import (
	"slices"
	"time"

	"example.org/library"
)

// Outcome is the meaning of a scan.
type Outcome string

const (
	Unknown     Outcome = "unknown"      // no copy has the code
	Again       Outcome = "again"        // scanned before in this stocktake, by whomever
	Lent        Outcome = "lent"         // a loan is open
	SetAside    Outcome = "set_aside"    // for a reader
	WasMissing  Outcome = "was_missing"  // and is lendable again, or stays in the library
	NotExpected Outcome = "not_expected" // damaged, lost, or added after the start
	Elsewhere   Outcome = "elsewhere"    // by the records on another shelf
	Found       Outcome = "found"
)

// Outcomes lists the outcomes in the order in which they are looked for: the first that fits.
var Outcomes = []Outcome{Unknown, Again, Lent, SetAside, WasMissing, NotExpected, Elsewhere, Found}

// Two more lists of copies.
const (
	Remaining Outcome = "remaining" // expected, and nothing is known of them since the start
	Away      Outcome = "away"      // lent or set aside at the start
)

// Listed are the lists that a stocktake has.
var Listed = []Outcome{Remaining, Away, Found, Elsewhere, Lent, SetAside, NotExpected, WasMissing, Unknown}

// Judge returns the outcome of the first scan of a copy as it is now, seen a moment ago. It was missing until then if
// missingSince is not zero. The person stands before shelf, "" if unknown.
func (s Stocktake) Judge(c library.Copy, missingSince time.Time, shelf string) Outcome {
	switch {
	case c.Loan != nil:
		return Lent
	case !missingSince.IsZero(): // by now it may be set aside
		return WasMissing
	case c.Hold != nil:
		return SetAside
	case c.State != library.Lendable && c.State != library.Reference, c.Created.After(s.Started):
		return NotExpected
	case s.Shelves != nil && !slices.Contains(s.Shelves, c.Shelf), shelf != "" && c.Shelf != shelf:
		return Elsewhere
	}
	return Found
}

// Entry is a copy or a code in a list of a stocktake.
type Entry struct {
	Copy    library.Copy // zero for a code of no copy
	Code    string       // of no copy
	Outcome Outcome
	Scanned time.Time // first; zero for never
	Seq     int64     // of a code
}

// Result is the answer to one code, or to one identifier of a copy.
type Result struct {
	Code         *string // nil for an identifier
	CopyID       string  // of no copy, where an identifier was given
	Outcome      Outcome
	Copy         *library.Copy
	Shelf        string         // Elsewhere: by the records, before it was moved
	MissingSince time.Time      // WasMissing
	Books        []library.Book // Unknown: with this ISBN
}
