package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// Collection is what was found for web hooks.
type Collection struct {
	Events int
	Lost   bool // the history of changes does not reach back: some were missed
}

const (
	collectAtOnce = 500 // changes
	overdueAtOnce = 200 // loans
)

// Collect makes events of all changes since the last time, in their order. Several processes may
// do so at once; each change is collected once.
func (s *Service) Collect(ctx context.Context) (done Collection, err error) {
	at, err := s.store.HookPlace(ctx)
	for err == nil {
		var changes []library.Change
		if changes, err = s.store.Changes(ctx, at, collectAtOnce); err != nil || len(changes) == 0 {
			break
		}
		if len(changes) == collectAtOnce {
			changes = upToBook(changes)
		}
		last := changes[len(changes)-1].Position
		var n int
		if n, err = s.collect(ctx, at, last, changes); errors.Is(err, ErrMoved) {
			at, err = s.store.HookPlace(ctx)
			continue
		}
		done.Events += n
		at = last
	}
	if errors.Is(err, library.ErrPositionLost) {
		done.Lost = at != library.Position{}
		err = s.begin(ctx)
	}
	return done, err
}

// upToBook leaves the last loans and holds for the next time, if what comes after them
// is not there yet: the change of their book.
func upToBook(changes []library.Change) []library.Change {
	for i := len(changes); i > 0; i-- {
		if k := changes[i-1].Kind; k != library.LoanChanged && k != library.HoldChanged {
			return changes[:i]
		}
	}
	return changes
}

// begin begins with now.
func (s *Service) begin(ctx context.Context) error {
	at, err := s.store.LastChange(ctx)
	if err != nil {
		return err
	}
	return s.store.HookTx(ctx, func(tx Tx) error { return tx.BeginHooks(ctx, at, s.now()) })
}

func (s *Service) collect(ctx context.Context, from, to library.Position, changes []library.Change) (int, error) {
	var loans, holds, books []string
	for _, c := range changes {
		switch c.Kind {
		case library.LoanChanged:
			loans = append(loans, c.ID)
		case library.HoldChanged:
			holds = append(holds, c.ID)
		case library.UserLeft:
		default:
			books = append(books, c.ID)
		}
	}
	records, err := s.store.HookRecords(ctx, unique(loans), unique(holds), unique(books))
	if err != nil {
		return 0, err
	}
	events := eventsOf(changes, records, s.now())
	return len(events), s.store.HookTx(ctx, func(tx Tx) error { return tx.AddHookEvents(ctx, from, to, events) })
}

func unique(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// eventsOf are the events of changes. The change of a book that lending is about comes
// right after its loans and holds, which say more.
func eventsOf(changes []library.Change, records map[string]Record, now time.Time) (events []Event) {
	add := func(t Type, bookID, title, record string, at time.Time) {
		if at.IsZero() {
			at = now
		}
		events = append(events, Event{ID: library.NewID(), Type: t, BookID: bookID, BookTitle: title, Record: record, At: at, Collected: now})
	}
	var lending []int // events whose book comes next
	for _, c := range changes {
		r, known := records[c.ID]
		if c.Kind == library.LoanChanged || c.Kind == library.HoldChanged {
			types := typesOf(c, r)
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
func (e Event) says(c library.Change, book Record) bool {
	isBook := e.BookID == c.ID || e.BookID == ""
	switch {
	case c.Kind != library.BookBorrowed && c.Kind != library.BookReturned && c.Kind != library.BookChanged:
		return false // somebody has edited the book
	case e.Type != LoanRenewed:
		return isBook
	}
	// A renewal changes of a book at most when the next copy is due, which matters while none
	// is available. Otherwise what comes next is about something else.
	isBook = e.BookID == c.ID || e.BookID == "" && e.BookTitle == book.BookTitle
	return isBook && c.Kind == library.BookChanged && c.Available == 0
}

// bookTypes are the event types for changes of books, unless a loan or a hold says more. Those
// of lending come alone from older programs, where the policy keeps no history.
var bookTypes = map[library.ChangeKind]Type{
	library.BookAdded: BookAdded, library.BookEdited: BookEdited, library.BookDeleted: BookDeleted,
	library.BookChanged: BookEdited, library.BookBorrowed: LoanCreated, library.BookReturned: LoanReturned,
}

// typesOf are the event types for a change of a loan or a hold. If its program did not say
// what happened, the record as it is now has to.
func typesOf(c library.Change, r Record) []Type {
	switch c.Step {
	case library.LoanOpened:
		return []Type{LoanCreated}
	case library.LoanRenewed:
		return []Type{LoanRenewed}
	case library.LoanClosed:
		return []Type{LoanReturned}
	case library.HoldPlaced:
		return []Type{HoldCreated}
	case library.HoldPlacedReady:
		return []Type{HoldCreated, HoldReady}
	case library.HoldBecameReady:
		return []Type{HoldReady}
	case library.HoldOver:
		return []Type{HoldEnded}
	case library.StepUnknown:
		return []Type{r.looksLike(c.Kind)}
	}
	return nil
}

// looksLike is what has probably happened last to a loan or a hold.
func (r Record) looksLike(kind library.ChangeKind) Type {
	switch {
	case kind == library.LoanChanged && !r.Ended.IsZero():
		return LoanReturned
	case kind == library.LoanChanged && r.Renewed:
		return LoanRenewed
	case kind == library.LoanChanged:
		return LoanCreated
	case !r.Ended.IsZero():
		return HoldEnded
	case r.Ready:
		return HoldReady
	}
	return HoldCreated
}

// when is when it happened, zero if the record does not say.
func (r Record) when(t Type) time.Time {
	switch t {
	case LoanCreated, HoldCreated:
		return r.Began
	case LoanReturned, HoldEnded:
		return r.Ended
	}
	return time.Time{}
}
