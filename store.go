package library

import (
	"context"
	"time"
)

// Store keeps the records of the library and finds them. The rules are in the
// domain, except the invariants that must hold whatever the program does: a copy
// has one open loan and is set aside for one hold, not both for different people,
// and a person has one open loan and one active hold of a book.
//
// Records that a store returns are complete. They may be shared, so nobody
// changes the slices in them.
// Looking for what is not there gives ErrBookNotFound or ErrUserNotFound.
// Methods may be called from many goroutines.
type Store interface {
	BookStore
	CoverStore
	CopyStore
	LoanStore
	HoldStore
	UserStore
	SubjectStore
	ReaderStore
	PolicyStore
	HousekeepingStore
	NoticeStore
	IdempotencyStore
	ChangeLog

	// Tx runs fn in one transaction: all of it happens, durably, when Tx
	// returns nil, and nothing otherwise. It may run fn again from the start
	// when the database asks for that.
	Tx(ctx context.Context, fn func(Tx) error) error

	// Revision is the state of the store now.
	Revision(ctx context.Context) (Revision, error)

	// Ping reports whether the store can answer now.
	Ping(ctx context.Context) error
}

// Tx is a store inside a transaction. The records that it returns are locked:
// nobody else changes them until the end.
type Tx interface {
	BookTx
	CoverTx
	CirculationTx
	UserTx
	SubjectTx
	PolicyTx
	NoticeTx
	IdempotencyTx

	// Lock waits until no other transaction has the lock, and keeps it until the
	// end. What the others have written can be seen from here on.
	Lock(ctx context.Context, l Lock) error

	// Empty reports whether there is no user and no book at all.
	Empty(ctx context.Context) (noUsers, noBooks bool, err error)
}

// Lock names something that one transaction at a time may do.
type Lock int

const (
	ImportLock       Lock = iota + 1 // bring in many books
	UserLock                         // edit or remove users
	HousekeepingLock                 // housekeeping, in one process at a time
	BackupLock                       // make the backup that is due
	PolicyLock                       // change what loans and holds depend on: nobody lends or reserves meanwhile
	HookLock                         // tell the web hooks, in one process at a time
	MailLock                         // send mails, in one process at a time
)

// CirculationTx is what a store does with lending inside a transaction.
type CirculationTx interface {
	// Load returns the caller, and the circulation of the book that the
	// transaction is about: nil if l.Book is "" or there is no such book. It
	// locks, in this order, the book with all that belongs to it, the reader if
	// the policy limits what a reader may have, and the caller against changes
	// (but not against other transactions of the caller). A transaction that
	// had to wait sees what happened meanwhile. ErrUserNotFound is about the caller; a reader
	// who is not there is the zero Reader.
	Load(ctx context.Context, l Load) (User, *Circulation, error)
	// Save writes a decision about a circulation that was loaded in this
	// transaction. ErrBarcodeTaken, ErrIdentifierTaken. It may wait with that
	// until the next statement or the end of the transaction, which then fails.
	Save(ctx context.Context, d Decision) error

	HasOpenLoans(ctx context.Context, userID string) (bool, error)
	// HeldBooks returns the books of which the user has an active hold.
	HeldBooks(ctx context.Context, userID string) ([]string, error)
	// Forget takes the person out of up to most loans that were returned, and
	// holds that ended, before an instant: those of one user, or of everybody if
	// userID is "". It returns of how many.
	Forget(ctx context.Context, userID string, before time.Time, most int) (int, error)
}

// Load says what a transaction is about.
type Load struct {
	Caller string // e-mail address of the user on whose behalf it runs; "" for the program itself
	Book   string // "" for none
	Reader string // identifier of the user whom the lending concerns; "" for the caller
	Now    time.Time
	// Together says that the transaction begins with this and then saves at most
	// one decision about the book, and does nothing else. A store may then run it
	// in one transaction with others (group commit), as long as the results are the same.
	Together bool
}

// Precondition decides whether an edit may replace the version of a record that
// the store holds. Nil accepts every version.
type Precondition func(version string) bool

// Accepts reports whether the version may be replaced.
func (p Precondition) Accepts(version string) bool { return p == nil || p(version) }

type storeTimeoutKey struct{}

// WithStoreTimeout is a context in which each statement outside a transaction, and each
// transaction, of a store may take this long. A store's own timeout is some seconds, so
// that no caller waits for a database that is broken.
func WithStoreTimeout(ctx context.Context, each time.Duration) context.Context {
	return context.WithValue(ctx, storeTimeoutKey{}, each)
}

// StoreTimeout is the timeout that WithStoreTimeout has set, 0 if none is set.
func StoreTimeout(ctx context.Context) time.Duration {
	each, _ := ctx.Value(storeTimeoutKey{}).(time.Duration)
	return each
}
