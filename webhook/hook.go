// Package webhook tells other programs what happens in the library. It makes events of the changes of the library, each
// once, and of loans that become overdue, and posts them to addresses, signed as Standard Webhooks describes, in order,
// again and again until the receiver takes them. The store keeps how far each web hook has come.
//
// Every process has a worker, and one at a time is at work. Start reading at [Start]; events are
// made in [Service.Collect], and [receiver.tell] makes one attempt at one event.
package webhook

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.org/library"
)

// Type is a type of event.
type Type string

const (
	BookAdded    Type = "book.added"
	BookEdited   Type = "book.edited" // the book, its copies, or copies set aside
	BookDeleted  Type = "book.deleted"
	LoanCreated  Type = "loan.created"
	LoanRenewed  Type = "loan.renewed"
	LoanReturned Type = "loan.returned"
	LoanOverdue  Type = "loan.overdue"
	HoldCreated  Type = "hold.created"
	HoldReady    Type = "hold.ready"
	HoldEnded    Type = "hold.ended"
)

// Types is every type.
var Types = []Type{
	BookAdded, BookEdited, BookDeleted, LoanCreated, LoanRenewed, LoanReturned, LoanOverdue,
	HoldCreated, HoldReady, HoldEnded,
}

// Subject returns book, loan or hold.
func (t Type) Subject() string {
	subject, _, _ := strings.Cut(string(t), ".")
	return subject
}

// Event is something for web hooks to post. It names no person: the person is looked up when the event is posted.
type Event struct {
	Seq       int64  // the order of events; given by the store
	ID        string // the same for every attempt to tell it
	Type      Type
	BookID    string
	BookTitle string    // at the time; of a deleted book, too
	Record    string    // identifier of the loan or the hold; "" for books
	At        time.Time // when it happened, if known
	Collected time.Time // when it was added
}

// Hook is how far a web hook has come.
type Hook struct {
	Key      string    // a digest of its address, because there may be a secret in it
	Position int64     // Seq of the last event that was taken or given up
	Attempts int       // failed, one after the other
	Failing  time.Time // when the first of these was; zero if there is none
	Next     time.Time // not before then; zero for now
	Off      bool      // the receiver wants nothing more
}

// Record is a loan, a hold or a book as events need it.
type Record struct {
	BookID, BookTitle string
	Began, Ended      time.Time
}

// Service collects events, and keeps the position of each web hook.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns the web hooks of a store. Now is the clock of the library.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// Now is the time of the library's clock.
func (s *Service) Now() time.Time { return s.now() }

// Store keeps events and web hooks. A library without web hooks does not pay for it.
type Store interface {
	library.ChangeLog
	// Alone is as in [library.HousekeepingStore].
	Alone(ctx context.Context, l library.Lock, fn func(context.Context) error) (ran bool, err error)
	// HookTx is one transaction, as [library.Store.Tx] is.
	HookTx(ctx context.Context, fn func(Tx) error) error

	// HookPlace returns the place in the history of changes where collecting has ended; [library.ErrPositionLost] if they never were.
	HookPlace(ctx context.Context) (library.Position, error)
	// HookRecords returns loans, holds and books by their identifiers, deleted books too.
	HookRecords(ctx context.Context, loans, holds, books []string) (map[string]Record, error)
	// HookEvents returns up to most events after a number, in their order.
	HookEvents(ctx context.Context, after int64, most int) ([]Event, error)
	// HookPerson returns the person of a loan or a hold; zero if the person is forgotten.
	HookPerson(ctx context.Context, record string) (library.Person, error)
	// UntoldOverdue is as in Tx, without a lock.
	UntoldOverdue(ctx context.Context, now time.Time, most int) ([]Event, error)
	// Hooks returns all hooks in use since an instant.
	Hooks(ctx context.Context, since time.Time) ([]Hook, error)
}

// Tx reads and writes events and web hooks inside a transaction.
type Tx interface {
	// BeginHooks begins collecting at a place, and counts all overdue loans as told.
	BeginHooks(ctx context.Context, at library.Position, now time.Time) error
	// AddHookEvents adds events and moves the place; ErrMoved if another process has moved
	// it. One transaction at a time can be here.
	AddHookEvents(ctx context.Context, from, to library.Position, events []Event) error
	// UntoldOverdue returns events, with the fields known to the store, of up to most overdue
	// loans without an event. MarkTold marks them as told.
	UntoldOverdue(ctx context.Context, now time.Time, most int) ([]Event, error)
	MarkTold(ctx context.Context, events []Event) error
	// AddHook adds a hook that begins after all events, or returns the existing one, neither off nor waiting.
	AddHook(ctx context.Context, key string, now time.Time) (h Hook, isNew bool, err error)
	// SaveHook saves how far a hook has come; ErrMoved if it was not at a position any more.
	SaveHook(ctx context.Context, h Hook, from int64, now time.Time) error
	// TrimHooks marks hooks as used, and drops hooks that were unused since an instant, and events that no hook needs.
	TrimHooks(ctx context.Context, keys []string, now, unused time.Time) error
}

// ErrMoved means another process has done the same meanwhile.
var ErrMoved = errors.New("library: another process tells the web hooks")

const (
	firstPause   = 5 * time.Second
	longestPause = 30 * time.Minute
	giveUpAfter  = 3 * 24 * time.Hour
)

// pause returns how long to wait after this number of failed attempts.
func pause(attempts int) time.Duration {
	p := firstPause
	for ; attempts > 1 && p < longestPause; attempts-- {
		p *= 2
	}
	return min(p, longestPause)
}

// failed returns the hook after a failed attempt.
func failed(h Hook, now time.Time) Hook {
	if h.Attempts++; h.Failing.IsZero() || h.Failing.After(now) {
		h.Failing = now
	}
	h.Next = now.Add(pause(h.Attempts))
	return h
}

// delivered returns the hook after an event was taken.
func delivered(h Hook, seq int64) Hook {
	return Hook{Key: h.Key, Position: seq}
}

// wait returns the time until the next attempt: at most the pause, even when the clock went back.
func wait(h Hook, now time.Time) time.Duration {
	if h.Next.IsZero() {
		return 0
	}
	return min(max(h.Next.Sub(now), 0), pause(h.Attempts))
}

// isLate reports whether an event is given up: the receiver has taken nothing for three days, and
// the event is as old. While the hook is off nothing is tried, and age alone counts.
func isLate(h Hook, e Event, now time.Time) bool {
	isTried := h.Off || !h.Failing.IsZero() && now.Sub(h.Failing) >= giveUpAfter
	return isTried && now.Sub(e.Collected) >= giveUpAfter
}

// begun returns the hook at the start of a process. After a standstill there is an hour before anything is given up.
func begun(h Hook, now time.Time) Hook {
	if latest := now.Add(time.Hour - giveUpAfter); !h.Failing.IsZero() && h.Failing.Before(latest) {
		h.Failing = latest
	}
	return h
}
