package api

// Loan is one copy with one person.
type Loan struct {
	Identifier string   `json:"identifier,omitempty"` // absent only in a dry run
	Book       BookRef  `json:"book"`
	Copy       *CopyRef `json:"copy,omitempty"` // absent when the copy is gone
	User       *Person  `json:"user,omitempty"` // absent when the person is forgotten
	BorrowedAt string   `json:"borrowedAt"`
	DueAt      string   `json:"dueAt,omitempty"`
	ReturnedAt string   `json:"returnedAt,omitempty"`
	Renewals   int      `json:"renewals"` // how often it was renewed
	Overdue    bool     `json:"overdue"`
	Renewable  bool     `json:"renewable"` // whether a renewal would succeed now
	// RenewableFrom is the beginning of the first day on which a renewal moves the due
	// date. Absent if a renewal succeeds now, or is refused for another reason.
	RenewableFrom string `json:"renewableFrom,omitempty"`
	ClaimedAt     string `json:"claimedAt,omitempty"`       // when the borrower said to have brought it back
	Lost          bool   `json:"lost,omitempty"`            // it ended with the loss of the copy
	Hold          *Hold  `json:"hold,omitempty" csv:"-"`    // of a return, for staff: the hold for which the copy is now set aside
	Rule          string `json:"rule,omitempty"`            // of the policy, that decided the due day
	Several       bool   `json:"several,omitempty"`         // the person may have several copies of the book
	Swapped       bool   `json:"swapped,omitempty" csv:"-"` // of a return or a loan: a loan was moved to another copy of the book
}

// Which loans a list can have.
const (
	LoansOpen     = "open"
	LoansOverdue  = "overdue"
	LoansClaimed  = "claimed" // the borrower says to have brought the copy back
	LoansReturned = "returned"
)

// BatchLoans is the outcome of a batch of copies.
type BatchLoans struct {
	Loans   []Loan    `json:"loans"`   // in the order of the copies
	Skipped []Skipped `json:"skipped"` // in the order of the people
	Left    []CopyRef `json:"left"`    // for which there was nobody
}

// Skipped is a person who got no copy of a batch.
type Skipped struct {
	User Person `json:"user"`
	Code string `json:"code"`
	Rule string `json:"rule,omitempty"` // of the policy, that decided
}

// BatchReturn is the answer to one of the copies that came back together: a loan, or a refusal.
type BatchReturn struct {
	Barcode    string `json:"barcode"`
	Status     int    `json:"status"` // as of a return of its own
	Loan       *Loan  `json:"loan,omitempty"`
	Code       string `json:"code,omitempty"`
	Candidates []Loan `json:"candidates,omitzero"` // to which the copy may belong
}

// Hold is a place in the queue of a book.
type Hold struct {
	Identifier string   `json:"identifier"`
	Book       BookRef  `json:"book"`
	User       *Person  `json:"user,omitempty"` // absent when the person is forgotten
	State      string   `json:"state"`
	Position   int      `json:"position,omitempty"`  // while waiting; 1 is next
	Copy       *CopyRef `json:"copy,omitempty"`      // when ready
	Until      string   `json:"until,omitempty"`     // when ready
	FetchedAt  string   `json:"fetchedAt,omitempty"` // when ready, for staff: since when the copy is off its shelf
	CreatedAt  string   `json:"createdAt"`
	EndedAt    string   `json:"endedAt,omitempty"`
}

// What a hold can be. The last three are ends.
const (
	HoldWaiting   = "waiting"
	HoldReady     = "ready"
	HoldFulfilled = "fulfilled"
	HoldCancelled = "cancelled"
	HoldExpired   = "expired"
)

// Which holds a list can have.
const (
	HoldsActive = "active" // waiting and ready ones
	HoldsReady  = "ready"
	HoldsEnded  = "ended"
)
