package library

import (
	"context"
	"time"
)

// PastLoan is what a trial of a policy knows of a loan. Category and kind are those of now.
type PastLoan struct {
	ID       string
	User     string // "" if the person is forgotten
	Category string
	Kind     string // "" if the book is deleted
	Since    time.Time
	Returned time.Time // zero while the loan is open
	Renewals int
	DueGiven bool // see Loan
}

// PastHold is the same of a hold.
type PastHold struct {
	User     string
	Category string
	Kind     string
	Created  time.Time
	Ended    time.Time // zero while it is active
}

// PastStore reads what happened since an instant, with what was open or active then, in the order of the
// beginnings, and then of the identifiers. It calls begin for a function, and that for each record. It begins anew when
// the database asks for that.
type PastStore interface {
	PastLoans(ctx context.Context, since time.Time, begin func() func(PastLoan)) error
	PastHolds(ctx context.Context, since time.Time, begin func() func(PastHold)) error
}
