package webhook

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// Collection is the result of collecting.
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

// upToBook leaves the last loans and holds for the next time, if the change of their book, which
// comes after them, is not there yet.
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

// eventsOf makes the events of changes. The change of a lent book comes right after its loans
// and holds, and these say more.
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
			types := lendingTypes[c.Step]
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

// says reports whether an event of lending covers the next change of a book. An event without
// a book is about a deleted one.
func (e Event) says(c library.Change, book Record) bool {
	isBook := e.BookID == c.ID || e.BookID == ""
	switch {
	case c.Kind != library.BookBorrowed && c.Kind != library.BookReturned && c.Kind != library.BookChanged:
		return false // somebody has edited the book
	case e.Type != LoanRenewed:
		return isBook
	}
	// A renewal changes of a book at most when the next copy is due, and only while none
	// is available. Otherwise the next change is about something else.
	isBook = e.BookID == c.ID || e.BookID == "" && e.BookTitle == book.BookTitle
	return isBook && c.Kind == library.BookChanged && c.Available == 0
}

// bookTypes are the event types for changes of books, unless a loan or a hold says more. Those
// of lending come alone from older programs, where the policy keeps no history.
var bookTypes = map[library.ChangeKind]Type{
	library.BookAdded: BookAdded, library.BookEdited: BookEdited, library.BookDeleted: BookDeleted,
	library.BookChanged: BookEdited, library.BookBorrowed: LoanCreated, library.BookReturned: LoanReturned,
}

// lendingTypes are the event types for the steps of loans and holds. Other steps have none.
var lendingTypes = map[library.Step][]Type{
	library.LoanOpened: {LoanCreated}, library.LoanRenewed: {LoanRenewed}, library.LoanClosed: {LoanReturned},
	library.HoldPlaced: {HoldCreated}, library.HoldPlacedReady: {HoldCreated, HoldReady},
	library.HoldBecameReady: {HoldReady}, library.HoldOver: {HoldEnded},
}

// when returns the time of an event, zero if the record does not have it.
func (r Record) when(t Type) time.Time {
	switch t {
	case LoanCreated, HoldCreated:
		return r.Began
	case LoanReturned, HoldEnded:
		return r.Ended
	}
	return time.Time{}
}
