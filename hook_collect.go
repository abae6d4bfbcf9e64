package library

import (
	"context"
	"errors"
	"slices"
	"time"
)

// HookCollection is what was found for web hooks.
type HookCollection struct {
	Events int
	Lost   bool // the history of changes does not reach back: some were missed
}

const (
	collectAtOnce = 500 // changes
	overdueAtOnce = 200 // loans
)

// CollectHookEvents makes events of all changes since the last time, in their order. Several processes may
// do so at once; each change is collected once.
func (s *Service) CollectHookEvents(ctx context.Context) (done HookCollection, err error) {
	at, err := s.store.HookPlace(ctx)
	for err == nil {
		var changes []Change
		if changes, err = s.store.Changes(ctx, at, collectAtOnce); err != nil || len(changes) == 0 {
			break
		}
		if len(changes) == collectAtOnce {
			changes = upToBook(changes)
		}
		last := changes[len(changes)-1].Position
		var n int
		if n, err = s.collect(ctx, at, last, changes); errors.Is(err, ErrHookMoved) {
			at, err = s.store.HookPlace(ctx)
			continue
		}
		done.Events += n
		at = last
	}
	if errors.Is(err, ErrPositionLost) {
		done.Lost = at != Position{}
		err = s.beginHooks(ctx)
	}
	return done, err
}

// upToBook leaves the last loans and holds for the next time, if what comes after them
// is not there yet: the change of their book.
func upToBook(changes []Change) []Change {
	for i := len(changes); i > 0; i-- {
		if k := changes[i-1].Kind; k != LoanChanged && k != HoldChanged {
			return changes[:i]
		}
	}
	return changes
}

// beginHooks begins with now.
func (s *Service) beginHooks(ctx context.Context) error {
	at, err := s.store.LastChange(ctx)
	if err != nil {
		return err
	}
	return s.store.Tx(ctx, func(tx Tx) error { return tx.BeginHooks(ctx, at, s.now()) })
}

func (s *Service) collect(ctx context.Context, from, to Position, changes []Change) (int, error) {
	var loans, holds, books []string
	for _, c := range changes {
		switch c.Kind {
		case LoanChanged:
			loans = append(loans, c.ID)
		case HoldChanged:
			holds = append(holds, c.ID)
		case UserLeft:
		default:
			books = append(books, c.ID)
		}
	}
	records, err := s.store.HookRecords(ctx, unique(loans), unique(holds), unique(books))
	if err != nil {
		return 0, err
	}
	events := hookEvents(changes, records, s.now())
	return len(events), s.store.Tx(ctx, func(tx Tx) error { return tx.AddHookEvents(ctx, from, to, events) })
}

func unique(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// hookEvents are the events of changes. The change of a book that lending is about comes
// right after its loans and holds, which say more.
func hookEvents(changes []Change, records map[string]HookRecord, now time.Time) (events []HookEvent) {
	add := func(t HookType, bookID, title, record string, at time.Time) {
		if at.IsZero() {
			at = now
		}
		events = append(events, HookEvent{ID: NewID(), Type: t, BookID: bookID, BookTitle: title, Record: record, At: at, Collected: now})
	}
	var lending []int // events whose book comes next
	for _, c := range changes {
		r, known := records[c.ID]
		if c.Kind == LoanChanged || c.Kind == HoldChanged {
			types := hookTypes(c, r)
			if !known || len(types) == 0 { // then the book's change says more
				continue
			}
			for _, t := range types {
				lending = append(lending, len(events))
				add(t, r.BookID, r.BookTitle, c.ID, r.when(t))
			}
			continue
		}
		isTold := false
		for _, i := range lending {
			if events[i].says(c, r) {
				isTold, events[i].BookID = true, c.ID
			}
		}
		if t := bookTypes[c.Kind]; t != "" && !isTold {
			add(t, c.ID, r.BookTitle, "", time.Time{})
		}
		lending = nil
	}
	return events
}

// says reports whether an event of lending says what the next change of a book is about. One
// without a book is about one that was deleted since.
func (e HookEvent) says(c Change, book HookRecord) bool {
	isBook := e.BookID == c.ID || e.BookID == ""
	switch {
	case c.Kind != BookBorrowed && c.Kind != BookReturned && c.Kind != BookChanged:
		return false // somebody has edited the book
	case e.Type != HookLoanRenewed:
		return isBook
	}
	// A renewal changes of a book at most when the next copy is due, which matters while none
	// is available. Otherwise what comes next is about something else.
	isBook = e.BookID == c.ID || e.BookID == "" && e.BookTitle == book.BookTitle
	return isBook && c.Kind == BookChanged && c.Available == 0
}

// bookTypes are what changes of books are told as, unless a loan or a hold says more. Those
// of lending come alone from older programs, where the policy keeps no history.
var bookTypes = map[ChangeKind]HookType{
	BookAdded: HookBookAdded, BookEdited: HookBookEdited, BookDeleted: HookBookDeleted,
	BookChanged: HookBookEdited, BookBorrowed: HookLoanCreated, BookReturned: HookLoanReturned,
}

// hookTypes are what a change of a loan or a hold is told as. If its program did not say
// what happened, the record as it is now has to.
func hookTypes(c Change, r HookRecord) []HookType {
	switch c.Step {
	case LoanOpened:
		return []HookType{HookLoanCreated}
	case LoanRenewed:
		return []HookType{HookLoanRenewed}
	case LoanClosed:
		return []HookType{HookLoanReturned}
	case HoldPlaced:
		return []HookType{HookHoldCreated}
	case HoldPlacedReady:
		return []HookType{HookHoldCreated, HookHoldReady}
	case HoldBecameReady:
		return []HookType{HookHoldReady}
	case HoldOver:
		return []HookType{HookHoldEnded}
	case StepUnknown:
		return []HookType{r.looksLike(c.Kind)}
	}
	return nil
}

// looksLike is what has probably happened last to a loan or a hold.
func (r HookRecord) looksLike(kind ChangeKind) HookType {
	switch {
	case kind == LoanChanged && !r.Ended.IsZero():
		return HookLoanReturned
	case kind == LoanChanged && r.Renewed:
		return HookLoanRenewed
	case kind == LoanChanged:
		return HookLoanCreated
	case !r.Ended.IsZero():
		return HookHoldEnded
	case r.Ready:
		return HookHoldReady
	}
	return HookHoldCreated
}

// when is when it happened, zero if the record does not say.
func (r HookRecord) when(t HookType) time.Time {
	switch t {
	case HookLoanCreated, HookHoldCreated:
		return r.Began
	case HookLoanReturned, HookHoldEnded:
		return r.Ended
	}
	return time.Time{}
}
