package library

import (
	"errors"
	"maps"
	"slices"
	"time"

	"example.org/library/internal/validation"
)

// Limits of a batch.
const (
	MaxBatch       = 100  // copies
	MaxBatchPeople = 1000 // named one by one
)

// Batch is copies to lend at once: each goes to the next reader who may take it.
type Batch struct {
	Copies  []Copy                 // at least their identifiers and those of their books; zero for unknown codes
	List    string                 // the name of the copies in the request, for refusals
	Books   map[string]Circulation // of the copies, by identifier, without a reader
	Readers []Reader               // in their order
	BookID  string                 // the only book; "" for any
	Several bool                   // the only reader gets all copies
	Due     Date                   // of the loans, in place of the policy; zero for none
}

// Lent is the outcome of a batch.
type Lent struct {
	Decisions []Decision // one for each book
	Loans     []Loan     // in the order of the copies
	Skipped   []Skipped  // in the order of the readers
	Left      []Copy     // for which there was nobody
}

// Skipped is a reader without a copy.
type Skipped struct {
	Person Person
	Why    *Error
}

// Lend lends all copies, or none if one cannot be lent. A reader who may not take the copy at hand is skipped.
func (b Batch) Lend(now time.Time) (Lent, error) {
	books, err := b.begin(now)
	if err != nil {
		return Lent{}, err
	}
	var lent Lent
	readers := b.Readers
	for _, c := range b.Copies {
		r := books[c.BookID]
		for len(readers) > 0 && r.skips(readers[0], &lent) {
			readers = readers[1:]
		}
		if len(readers) == 0 {
			lent.Left = append(lent.Left, *r.copy(c.ID))
			continue
		}
		lent.Loans = append(lent.Loans, r.judge(*r.give(r.copy(c.ID)), r.Reader.Overdue > 0))
		if b.Several {
			readers = []Reader{readers[0].withOneMore(r.Book.Kind)}
		} else {
			readers = readers[1:]
		}
	}
	for _, id := range slices.Sorted(maps.Keys(books)) {
		books[id].Reader = Reader{}
		lent.Decisions = append(lent.Decisions, books[id].decide(nil, nil, nil))
	}
	return lent, nil
}

// begin begins the rulings of the books: with the copies in hand, of which each must be free.
func (b Batch) begin(now time.Time) (map[string]*ruling, error) {
	books := make(map[string]*ruling, len(b.Books))
	for id, c := range b.Books {
		r := c.ruling(now)
		r.several, r.due = b.Several, b.Due
		books[id] = r
	}
	for _, c := range b.Copies {
		if r := books[c.BookID]; r != nil {
			if found := r.copy(c.ID); found != nil && found.State == Missing {
				r.see(found)
				r.settle()
			}
		}
	}
	var refused []Detail
	for i, c := range b.Copies {
		if why := b.refusal(books[c.BookID], c); why != nil {
			why.Field = indexed(b.List, i)
			refused = append(refused, *why)
		}
	}
	if len(refused) > 0 {
		all := *ErrCopiesRefused
		all.Details = refused
		return nil, &all
	}
	return books, nil
}

// refusal returns why a copy cannot be lent to anybody, nil if it can.
func (b Batch) refusal(r *ruling, c Copy) *Detail {
	var found *Copy
	if r != nil {
		found = r.copy(c.ID)
	}
	switch {
	case c.ID != "" && b.BookID != "" && c.BookID != b.BookID:
		return &Detail{Code: validation.CodeOtherBook, Message: "is a copy of another book"}
	case found == nil:
		return &Detail{Code: validation.CodeUnknownCode, Message: "is no copy of the library"}
	case found.State != Lendable:
		return &Detail{Code: validation.CodeNotLendable, Message: "cannot be lent"}
	case found.Loan != nil:
		return &Detail{Code: validation.CodeCopyOnLoan, Message: "is on loan by the records; return it first"}
	case found.Hold != nil:
		return &Detail{Code: validation.CodeReserved, Message: "is set aside for somebody"}
	}
	return nil
}

// skips makes a reader the one of the ruling, or skips one who may not take a copy of the book.
func (r *ruling) skips(reader Reader, lent *Lent) bool {
	r.Reader = reader
	why, is := errors.AsType[*Error](r.mayTakeNext())
	if is {
		lent.Skipped = append(lent.Skipped, Skipped{reader.Person, why})
	}
	return is
}

// mayTakeNext returns nil if the reader may take a copy of a batch.
func (r *ruling) mayTakeNext() error {
	switch {
	case !r.several && r.ownLoan() != nil:
		return ErrHasIt
	case r.Reader.Block != "":
		return ErrBlocked
	case r.Reader.Inactive:
		return ErrInactive
	}
	if err := r.mayBeLent(); err != nil {
		return err
	}
	return r.mayBorrow()
}

// withOneMore returns the reader with one more loan of a book of a kind.
func (r Reader) withOneMore(kind string) Reader {
	r.Loans++
	r.LoansOfKind = maps.Clone(r.LoansOfKind)
	if r.LoansOfKind == nil {
		r.LoansOfKind = map[string]int{}
	}
	r.LoansOfKind[kind]++
	return r
}

// CheckDue refuses a due day in the past, or too far off.
func (p Policy) CheckDue(due Date, now time.Time) error {
	today := p.Day(now)
	if due == (Date{}) || due.Compare(today) >= 0 && due.Compare(today.AddDays(MaxLoanDays)) <= 0 {
		return nil
	}
	return InvalidFields(Detail{Field: "dueAt", Code: validation.CodeOutOfRange, Message: "must be a day from today to 3,650 days on"})
}

// MaxCandidates is how many loans a refused return names.
const MaxCandidates = 20

// TakeBackFrom is TakeBack for a group of people: a copy that nobody has ends the only loan of somebody in
// the group. Loans with a true value in others are not meant: their copies are in somebody's hand, too.
func (c Circulation) TakeBackFrom(group, copyID, loanID string, others func(Loan) bool, now time.Time) (Decision, error) {
	var missing, all []Loan
	for _, copy := range c.Copies {
		if l := copy.Loan; l != nil {
			if all = append(all, *l); group != "" && GroupKey(l.Borrower.Group) == GroupKey(group) && !others(*l) {
				missing = append(missing, *l)
			}
		}
	}
	d, err := c.TakeBack(copyID, loanID, false, now)
	if !errors.Is(err, ErrCopyNotBorrowed) {
		return d, err
	}
	if len(missing) == 1 {
		return c.TakeBack(copyID, missing[0].ID, false, now)
	}
	r := c.ruling(now)
	slices.SortFunc(all, func(a, b Loan) int {
		if a.olderThan(b) {
			return -1
		}
		return 1
	})
	named := *ErrCopyNotBorrowed
	named.Candidates = []Loan{}
	for _, l := range all[:min(len(all), MaxCandidates)] {
		named.Candidates = append(named.Candidates, r.judge(l, l.at(now).Overdue))
	}
	return Decision{}, &named
}
