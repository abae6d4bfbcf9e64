// Package hook is a part of the domain: what there is to tell other programs. It makes events of
// the changes of the library, each once, finds what has become overdue, and keeps how far each
// web hook has come. How an event is posted, and when again, is package webhook's matter.
//
// Start reading at [Service.Collect].
package hook

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.org/library"
)

// Type names what a web hook tells of.
type Type string

const (
	BookAdded    Type = "book.added"
	BookEdited   Type = "book.edited" // the book, its copies, or what of them is set aside
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

// Subject is what it is about: book, loan or hold.
func (t Type) Subject() string {
	subject, _, _ := strings.Cut(string(t), ".")
	return subject
}

// Event is something that web hooks post. It names no person: who it is about is
// looked up when it is posted.
type Event struct {
	Seq       int64  // the order of events; given by the store
	ID        string // the same for every attempt to tell it
	Type      Type
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

// Record is a loan, a hold or a book as events need it.
type Record struct {
	BookID, BookTitle string
	Began, Ended      time.Time
	Ready, Renewed    bool
}

// Service collects what there is to tell, and keeps how far each web hook has come.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns the web hooks that the store keeps. Now is the clock of the library.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// Now is the time of the library's clock.
func (s *Service) Now() time.Time { return s.now() }

// Store is what a store does for web hooks. Nobody pays for it who has none.
type Store interface {
	library.ChangeLog
	// Alone is that of [library.HousekeepingStore].
	Alone(ctx context.Context, l library.Lock, fn func(context.Context) error) (ran bool, err error)
	// HookTx is one transaction, as [library.Store.Tx] is.
	HookTx(ctx context.Context, fn func(Tx) error) error

	// HookPlace is the place in the history of changes up to which events have been
	// collected; [library.ErrPositionLost] if they never were.
	HookPlace(ctx context.Context) (library.Position, error)
	// HookRecords returns loans, holds and books by their identifiers, deleted books too.
	HookRecords(ctx context.Context, loans, holds, books []string) (map[string]Record, error)
	// HookEvents returns up to most events after a number, in their order.
	HookEvents(ctx context.Context, after int64, most int) ([]Event, error)
	// HookPerson is whose loan or hold it is; zero if the person is forgotten.
	HookPerson(ctx context.Context, record string) (library.Person, error)
	// UntoldOverdue is that of Tx, without a lock.
	UntoldOverdue(ctx context.Context, now time.Time, most int) ([]Event, error)
	// Hooks returns all hooks that were used since an instant.
	Hooks(ctx context.Context, since time.Time) ([]Hook, error)
}

// Tx is what a store does for web hooks inside a transaction.
type Tx interface {
	// BeginHooks says that events are collected from a place on, and that all loans
	// that are overdue now have been told of.
	BeginHooks(ctx context.Context, at library.Position, now time.Time) error
	// AddHookEvents adds events and moves the place; ErrMoved if that is not where
	// it was. One transaction at a time can be here.
	AddHookEvents(ctx context.Context, from, to library.Position, events []Event) error
	// UntoldOverdue returns events, without what the store does not know, of up to most
	// loans that are overdue and were not told of. MarkTold says that they were.
	UntoldOverdue(ctx context.Context, now time.Time, most int) ([]Event, error)
	MarkTold(ctx context.Context, events []Event) error
	// AddHook adds a hook that begins after all events, or returns the one that is
	// there, which is then neither off nor waiting.
	AddHook(ctx context.Context, key string, now time.Time) (h Hook, isNew bool, err error)
	// SaveHook saves how far a hook has come; ErrMoved if it was not at a position
	// any more.
	SaveHook(ctx context.Context, h Hook, from int64, now time.Time) error
	// TrimHooks says that hooks are used, and drops those that were not since an instant
	// and what nobody needs any more.
	TrimHooks(ctx context.Context, keys []string, now, unused time.Time) error
}

// ErrMoved means that another process has done the same meanwhile.
var ErrMoved = errors.New("library: another process tells the web hooks")
