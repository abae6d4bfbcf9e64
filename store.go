package library

import (
	"context"
	"errors"
	"time"
)

// Store keeps the records of the library and finds them. The rules are in the domain, except the
// invariants that hold regardless of the program: a copy has one open loan and is set aside for one
// hold, not both for different people, and a person has one open loan and one active hold of a book.
//
// Returned records are complete. They may be shared, so callers must not change their slices. A
// missing record is ErrBookNotFound or ErrUserNotFound. Methods may be called from many goroutines.
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
	PastStore
	HousekeepingStore
	NoticeStore
	IdempotencyStore
	LogoutStore
	DirectoryStore
	ChangeLog

	// Tx runs fn in one transaction: all of it happens, durably, when Tx
	// returns nil, and nothing otherwise. It may run fn again from the start
	// when the database asks for that.
	Tx(ctx context.Context, fn func(Tx) error) error

	// Revision returns the present state of the store.
	Revision(ctx context.Context) (Revision, error)

	// Ping reports whether the store can answer now.
	Ping(ctx context.Context) error
}

// Tx is a store inside a transaction. Returned records are locked until the end.
type Tx interface {
	BookTx
	CoverTx
	CirculationTx
	UserTx
	SubjectTx
	PolicyTx
	NoticeTx
	IdempotencyTx
	StationTx
	LogoutTx
	DirectoryTx

	// Lock waits until no other transaction has the lock, and keeps it until the end. It sees the
	// writes of earlier owners.
	Lock(ctx context.Context, l Lock) error

	// Empty reports whether the store has no users and no books.
	Empty(ctx context.Context) (noUsers, noBooks bool, err error)
}

// Lock names work for one transaction at a time.
type Lock int

const (
	ImportLock       Lock = iota + 1 // bring in many books
	UserLock                         // edit or remove users
	HousekeepingLock                 // housekeeping, in one process at a time
	BackupLock                       // make a due backup
	PolicyLock                       // change the policy: nobody lends or reserves meanwhile
	HookLock                         // tell the web hooks, in one process at a time
	MailLock                         // send mails, in one process at a time
	LogoutLock                       // end sessions
	StocktakeLock                    // start a stocktake
)

// CirculationTx reads and writes circulations inside a transaction.
type CirculationTx interface {
	// Load returns the caller and the circulation of a book: nil if l.Book is "" or the book does not
	// exist. It locks, in this order, the book with its copies, loans and holds, the reader if the
	// policy limits readers, and the caller against changes (but not against other transactions of the
	// caller). After waiting for a lock it sees the other's writes. ErrUserNotFound is about the
	// caller; a missing reader is the zero Reader.
	Load(ctx context.Context, l Load) (User, *Circulation, error)
	// LockBatch locks books, and then people, each in the order of everybody, and returns the people as readers
	// with everything counted. It goes before Load, whose circulations are then without a reader.
	LockBatch(ctx context.Context, books, people []string, now time.Time) (map[string]Reader, error)
	// Save writes a decision about a circulation loaded in this transaction. ErrBarcodeTaken,
	// ErrIdentifierTaken. The error may come from the next statement or the end of the transaction
	// instead.
	Save(ctx context.Context, d Decision) error

	// LastReturned returns the most recently ended loan of a copy: ErrLoanNotFound.
	LastReturned(ctx context.Context, copyID string) (Loan, error)
	HasOpenLoans(ctx context.Context, userID string) (bool, error)
	// HasBooks reports whether the user has an open loan or an active hold at an instant.
	HasBooks(ctx context.Context, userID string, now time.Time) (bool, error)
	// HeldBooks returns the books with an active hold of the user.
	HeldBooks(ctx context.Context, userID string) ([]string, error)
	// Forget removes the person from up to most loans and holds of a user, or of all users if userID
	// is "", that ended before an instant. It returns their number.
	Forget(ctx context.Context, userID string, before time.Time, most int) (int, error)
}

// Load names the records to load for a transaction.
type Load struct {
	Caller string // e-mail address of the caller; "" for the program itself
	Book   string // "" for none
	Reader string // identifier of the borrower or holder; "" for the caller
	Now    time.Time
	Alone  bool // other transactions with the same caller and Alone wait for this one
}

// Precondition decides whether an edit may replace a version of a record. Nil accepts every version.
type Precondition func(version string) bool

// Accepts reports whether the version may be replaced.
func (p Precondition) Accepts(version string) bool { return p == nil || p(version) }

// ErrReadOnly means a store that can be read but not written: the database is read-only, full, or
// locked by others. The error has the reason.
var ErrReadOnly = errors.New("library: the store can be read, but not written")

type storeTimeoutKey struct{}

// WithStoreTimeout returns a context with another timeout for each transaction of a store, and for
// each statement outside of one. A store's own timeout is some seconds, so no caller waits for a
// broken database.
func WithStoreTimeout(ctx context.Context, each time.Duration) context.Context {
	return WithStoreTimeoutLeft(ctx, func() time.Duration { return each })
}

// WithStoreTimeoutLeft is WithStoreTimeout for a caller with a deadline: left returns the remaining
// time.
func WithStoreTimeoutLeft(ctx context.Context, left func() time.Duration) context.Context {
	return context.WithValue(ctx, storeTimeoutKey{}, left)
}

// StoreTimeout returns the timeout set by WithStoreTimeout, 0 if none is set.
func StoreTimeout(ctx context.Context) time.Duration {
	if left, ok := ctx.Value(storeTimeoutKey{}).(func() time.Duration); ok {
		return left()
	}
	return 0
}

// HousekeepingStore locks and finds the work of housekeeping.
type HousekeepingStore interface {
	// Alone runs fn unless another program is in Alone with the same lock, and reports whether it ran.
	// The database gives the lock up when the program dies.
	Alone(ctx context.Context, l Lock, fn func(context.Context) error) (ran bool, err error)
	// Unsettled returns up to most books with work to do: an expired ready hold, the longest first, or
	// a free copy for a waiting one. Since is the end of the first of these holds, zero if there is
	// none.
	Unsettled(ctx context.Context, now time.Time, most int) (books []string, since time.Time, err error)
}

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

// PastStore reads the loans and holds since an instant, the open and active ones of that instant included, by their
// beginning and then by identifier. It calls begin for a function, and the function for each record. A transaction that
// is repeated calls begin again.
type PastStore interface {
	PastLoans(ctx context.Context, since time.Time, begin func() func(PastLoan)) error
	PastHolds(ctx context.Context, since time.Time, begin func() func(PastHold)) error
}
