package api

// Copy is what stands on the shelf and is lent. Callers who are not staff see
// its identifier and barcode only.
type Copy struct {
	Identifier string `json:"identifier"`
	Barcode    string `json:"barcode,omitempty"`
	Shelf      string `json:"shelf,omitempty"`
	Note       string `json:"note,omitempty"`
	State      string `json:"state,omitempty"` // CopyLendable, …; always there for staff
	Loan       *Loan  `json:"loan,omitempty"`  // who has it
	Hold       *Hold  `json:"hold,omitempty"`  // for whom it is set aside
}

// What a copy can be. Only lendable ones are lent and counted.
const (
	CopyLendable  = "lendable"
	CopyReference = "reference"
	CopyDamaged   = "damaged"
	CopyLost      = "lost"
)

// CopyRef says which copy a loan or a hold is about.
type CopyRef struct {
	Identifier string `json:"identifier"`
	Barcode    string `json:"barcode,omitempty"`
}

// Code is what a scanner has read.
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
