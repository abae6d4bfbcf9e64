package api

// Stocktake is a search for everything on some shelves.
type Stocktake struct {
	Identifier string         `json:"identifier"`
	Name       string         `json:"name"`
	Shelves    []string       `json:"shelves,omitempty"` // absent for all
	State      string         `json:"state"`
	StartedAt  string         `json:"startedAt"`
	ClosedAt   string         `json:"closedAt,omitempty"`
	Expected   int            `json:"expected"`  // on the shelves at the start
	Remaining  int            `json:"remaining"` // of these: nothing is known of them since
	Away       int            `json:"away"`      // lent or set aside at the start
	Counts     map[string]int `json:"counts"`    // by outcome
	Marked     *int           `json:"marked,omitempty"`
	Swaps      *[]Swap        `json:"swaps,omitempty"` // of a single one that is open
}

// Which state a stocktake can have.
const (
	StocktakeOpen   = "open"
	StocktakeClosed = "closed"
)

// Swap proposes to move a loan, whose copy stands on the shelf, to a copy that nobody found.
type Swap struct {
	Loan    string `json:"loan"`
	Scanned Copy   `json:"scanned"`
	Free    Copy   `json:"free"`
}

// Scan is the answer to one code, or to one identifier of a copy.
type Scan struct {
	Code         *string `json:"code,omitempty"`       // absent for an identifier
	Identifier   string  `json:"identifier,omitempty"` // of no copy
	Outcome      string  `json:"outcome"`
	Copy         *Copy   `json:"copy,omitempty"`
	Shelf        string  `json:"shelf,omitempty"`        // of a copy that is elsewhere, before it was moved
	WasMissing   bool    `json:"wasMissing,omitempty"`   // it was missing until now
	MissingSince string  `json:"missingSince,omitempty"` // until now
	Books        []Book  `json:"books,omitempty"`        // with this ISBN
}

// StocktakeCopy is a copy in a list of a stocktake.
type StocktakeCopy struct {
	Copy
	Outcome   string `json:"outcome"`
	ScannedAt string `json:"scannedAt,omitempty"` // first
}

// StocktakeCode is a scanned code of no copy.
type StocktakeCode struct {
	Code      string `json:"code"`
	ScannedAt string `json:"scannedAt"` // first
}

// The outcomes of a scan, and two more lists of a stocktake.
const (
	OutcomeFound       = "found"
	OutcomeAgain       = "again"        // scanned before, by whomever
	OutcomeElsewhere   = "elsewhere"    // by the records on another shelf
	OutcomeLent        = "lent"         // by the records
	OutcomeSetAside    = "set_aside"    // for a reader
	OutcomeNotExpected = "not_expected" // damaged, lost or new
	OutcomeWasMissing  = "was_missing"  // and is no longer
	OutcomeUnknown     = "unknown"      // of no copy
	OutcomeRemaining   = "remaining"
	OutcomeAway        = "away"
)
