package library

import "context"

// Store keeps the library. It keeps records and finds them; the rules are not
// its business, but for one: it never keeps two open loans of one book.
//
// Records that a store returns are complete; a book comes with its open loan
// and the borrower. They may be shared, so nobody changes the slices in them.
// Looking for what is not there gives ErrBookNotFound or ErrUserNotFound.
// Methods may be called from many goroutines.
type Store interface {
	BookStore
	UserStore
	ChangeLog

	// Tx runs fn in one transaction: all of it happens, durably, when Tx
	// returns nil, and nothing otherwise. It may run fn again from the start
	// when the database asks for that.
	Tx(ctx context.Context, fn func(Tx) error) error

	// Ping reports whether the store can answer now.
	Ping(ctx context.Context) error
}

// Revision is a state of the whole store. Two equal revisions mean that
// nothing has changed in between; what was read from the store after a
// revision was learned is good for as long as the revision stays.
type Revision string

// Tx is a store inside a transaction. The records that it returns are locked:
// nobody else changes them until the end.
type Tx interface {
	BookTx
	LoanTx
	UserTx

	// Caller returns the user on whose behalf the transaction runs, or
	// ErrUserNotFound, and the circulation of the book that it is about: nil if
	// bookID is "" or there is no such book. The book is locked first, as by
	// Circulation; the user is locked against changes, but not against other
	// transactions of that user.
	Caller(ctx context.Context, userID, bookID string) (User, *Circulation, error)

	// Lock waits until no other transaction has the lock, and keeps it until the
	// end. What the others have written can be seen from here on.
	Lock(ctx context.Context, l Lock) error

	// Empty reports whether there is no user and no book at all.
	Empty(ctx context.Context) (noUsers, noBooks bool, err error)
}

// Lock names something that one transaction at a time may do.
type Lock int

const (
	ImportLock Lock = iota + 1 // bring in many books
	UserLock                   // edit or remove users
)

// Precondition decides whether an edit may replace the version of a record that
// the store holds. Nil accepts every version.
type Precondition func(version string) bool

func (p Precondition) accepts(version string) bool { return p == nil || p(version) }
