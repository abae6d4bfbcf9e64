package api

// Copy is one exemplar on the shelf, for loan. Callers outside of staff see
// its identifier and barcode only.
type Copy struct {
	Identifier string   `json:"identifier"`
	Book       *BookRef `json:"book,omitempty"` // in lists of the copies of all books
	Barcode    string   `json:"barcode,omitempty"`
	Shelf      string   `json:"shelf,omitempty"`
	Note       string   `json:"note,omitempty"`
	State      string   `json:"state,omitempty"` // CopyLendable, …; always there for staff
	Loan       *Loan    `json:"loan,omitempty"`  // the current one
	Hold       *Hold    `json:"hold,omitempty"`  // the hold for which it is set aside

	SeenAt       string `json:"seenAt,omitempty"`             // for staff: when the library last knew where it was
	MissingSince string `json:"missingSince,omitempty"`       // for staff
	WasMissing   bool   `json:"wasMissing,omitempty" csv:"-"` // of a scan: it was missing until then
}

// What a copy can be. Only lendable ones are lent and counted.
const (
	CopyLendable  = "lendable"
	CopyReference = "reference"
	CopyDamaged   = "damaged"
	CopyLost      = "lost"
	CopyMissing   = "missing" // looked for and not found
)

// CopyRef names the copy of a loan or a hold.
type CopyRef struct {
	Identifier string `json:"identifier"`
	Barcode    string `json:"barcode,omitempty"`
	Shelf      string `json:"shelf,omitempty"` // in lists of claimed loans, for staff
}

// Code is the meaning of a scanned code.
type Code struct {
	Kind   string  `json:"kind"`             // CodeCopy, CodeBook or CodeReader
	Copy   *Copy   `json:"copy,omitempty"`   // of CodeCopy
	Book   *Book   `json:"book,omitempty"`   // of CodeCopy
	Books  []Book  `json:"books,omitempty"`  // of CodeBook
	Reader *Reader `json:"reader,omitempty"` // of CodeReader
}

// What a code can be.
const (
	CodeCopy   = "copy"   // a barcode
	CodeBook   = "book"   // an ISBN
	CodeReader = "reader" // a card
)
