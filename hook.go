package library

import (
	"context"
	"errors"
	"strings"
	"time"
)

// HookType names what a web hook tells of.
type HookType string

const (
	HookBookAdded    HookType = "book.added"
	HookBookEdited   HookType = "book.edited" // the book, its copies, or what of them is set aside
	HookBookDeleted  HookType = "book.deleted"
	HookLoanCreated  HookType = "loan.created"
	HookLoanRenewed  HookType = "loan.renewed"
	HookLoanReturned HookType = "loan.returned"
	HookLoanOverdue  HookType = "loan.overdue"
	HookHoldCreated  HookType = "hold.created"
	HookHoldReady    HookType = "hold.ready"
	HookHoldEnded    HookType = "hold.ended"
)

// HookTypes is every type.
var HookTypes = []HookType{
	HookBookAdded, HookBookEdited, HookBookDeleted, HookLoanCreated, HookLoanRenewed, HookLoanReturned, HookLoanOverdue,
	HookHoldCreated, HookHoldReady, HookHoldEnded,
}

// Subject is what it is about: book, loan or hold.
func (t HookType) Subject() string {
	subject, _, _ := strings.Cut(string(t), ".")
	return subject
}

// HookEvent is something that web hooks tell of. It names no person: who it is about is
// asked at the moment at which it is told.
type HookEvent struct {
	Seq       int64  // the order of events; given by the store
	ID        string // the same for every attempt to tell it
	Type      HookType
	BookID    string
	BookTitle string    // at the time; that of a book that is deleted, too
	Record    string    // identifier of the loan or the hold; "" for books
	At        time.Time // when it happened, as far as that is known
	Collected time.Time // when it was added
}

// Hook is how far a web hook has come.
type Hook struct {
	Key      string    // a digest of its address, which may have a secret in it
	Position int64     // Seq of the last event that is done with
	Attempts int       // failed, one after the other
	Failing  time.Time // when the first of these was; zero if there is none
	Next     time.Time // not before then; zero for now
	Off      bool      // the receiver wants nothing more
}

// HookRecord is a loan, a hold or a book as events need it.
type HookRecord struct {
	BookID, BookTitle string
	Began, Ended      time.Time
	Ready, Renewed    bool
}

// HookStore is what a store does for web hooks. Nobody pays for it who has none.
type HookStore interface {
	// HookPlace is the place in the history of changes up to which events have been
	// collected; ErrPositionLost if they never were.
	HookPlace(ctx context.Context) (Position, error)
	// HookRecords returns loans, holds and books by their identifiers, deleted books too.
	HookRecords(ctx context.Context, loans, holds, books []string) (map[string]HookRecord, error)
	// HookEvents returns up to most events after a number, in their order.
	HookEvents(ctx context.Context, after int64, most int) ([]HookEvent, error)
	// HookPerson is whose loan or hold it is; zero if the person is forgotten.
	HookPerson(ctx context.Context, record string) (Person, error)
	// UntoldOverdue is that of HookTx, without a lock.
	UntoldOverdue(ctx context.Context, now time.Time, most int) ([]HookEvent, error)
	// Hooks returns all hooks that were used since an instant.
	Hooks(ctx context.Context, since time.Time) ([]Hook, error)
}

// HookTx is what a store does for web hooks inside a transaction.
type HookTx interface {
	// BeginHooks says that events are collected from a place on, and that all loans
	// that are overdue now have been told of.
	BeginHooks(ctx context.Context, at Position, now time.Time) error
	// AddHookEvents adds events and moves the place; ErrHookMoved if that is not where
	// it was. One transaction at a time can be here.
	AddHookEvents(ctx context.Context, from, to Position, events []HookEvent) error
	// UntoldOverdue returns events, without what the store does not know, of up to most
	// loans that are overdue and were not told of. MarkTold says that they were.
	UntoldOverdue(ctx context.Context, now time.Time, most int) ([]HookEvent, error)
	MarkTold(ctx context.Context, events []HookEvent) error
	// AddHook adds a hook that begins after all events, or returns the one that is
	// there, which is then neither off nor waiting.
	AddHook(ctx context.Context, key string, now time.Time) (h Hook, isNew bool, err error)
	// SaveHook saves how far a hook has come; ErrHookMoved if it was not at a position
	// any more.
	SaveHook(ctx context.Context, h Hook, from int64, now time.Time) error
	// TrimHooks says that hooks are used, and drops those that were not since an instant
	// and what nobody needs any more.
	TrimHooks(ctx context.Context, keys []string, now, unused time.Time) error
}

// ErrHookMoved means that another process has done the same meanwhile.
var ErrHookMoved = errors.New("library: another process tells the web hooks")
