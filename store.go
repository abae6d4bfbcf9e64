package library

import (
	"context"
	"time"
)

// Store keeps the library. It keeps records and finds them; the rules are not
// its business, but for one: it never holds two open loans of one book.
//
// Records that a store returns are complete; a book comes with its open loan
// and the borrower. They may be shared, so nobody changes the slices in them. Looking for what is not there gives ErrBookNotFound or
// ErrUserNotFound. Methods may be called from many goroutines.
type Store interface {
	// UserByEmail finds the user with this e-mail address (see EmailKey) and
	// says at which revision of the store. It is asked at every request and
	// must never give an answer older than the call.
	UserByEmail(ctx context.Context, email string) (User, Revision, error)

	Book(ctx context.Context, id string) (Book, error)
	// Books returns up to q.Limit books behind q.After in q.Order, fewer if they
	// reach q.Weight before.
	Books(ctx context.Context, q BookQuery) ([]Book, error)
	// CountBooks counts the books that match, whatever q.Limit and q.After.
	CountBooks(ctx context.Context, q BookQuery) (int, error)

	// FindBooks returns the books that have one of the keys, the oldest first. Of
	// those with one title, or one ISBN, it returns no more than MaxAlike+1.
	// Loans are left out.
	FindBooks(ctx context.Context, keys BookKeys) ([]Book, error)

	User(ctx context.Context, id string) (User, error)
	Users(ctx context.Context, q UserQuery) ([]User, error)
	CountUsers(ctx context.Context, q UserQuery) (int, error)

	// LastChange is the position of the newest change. There always is one: a
	// new store has a beginning that can be pointed at.
	LastChange(ctx context.Context) (Position, error)
	// Changes returns up to limit changes right behind a position, in an order
	// in which each book's changes follow each other as they happened, or
	// ErrPositionLost. Nothing is ever inserted before a change that was
	// returned, or before LastChange. Only committed changes are returned, all
	// of them, whoever has made them.
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)

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

// Tx is a store inside a transaction. The records that Book and User return
// are locked: nobody else changes them, or lends the book, until the end.
type Tx interface {
	Book(ctx context.Context, id string) (Book, error)
	AddBook(ctx context.Context, b Book) error // ErrIdentifierTaken
	UpdateBook(ctx context.Context, b Book) error
	DeleteBook(ctx context.Context, id string) error // its loans stay

	// FindBooks, AddBooks and UpdateBooks are for many books at once. The books
	// that are found are locked if they are read for an update.
	FindBooks(ctx context.Context, keys BookKeys, forUpdate bool) ([]Book, error)
	AddBooks(ctx context.Context, books []Book) error // ErrIdentifierTaken
	UpdateBooks(ctx context.Context, books []Book) error
	// Lock waits until no other transaction has the lock, and keeps it until the
	// end. What the others have written can be seen from here on.
	Lock(ctx context.Context, l Lock) error

	// Caller returns the user on whose behalf the transaction runs, or
	// ErrUserNotFound, and the book that it is about: nil if bookID is "" or
	// there is no such book. The book is locked first, as by Book; the user is
	// locked against changes, but not against other transactions of that user.
	Caller(ctx context.Context, userID, bookID string) (User, *Book, error)

	User(ctx context.Context, id string) (User, error)
	AddUser(ctx context.Context, u User) error    // ErrIdentifierTaken, ErrEmailTaken
	UpdateUser(ctx context.Context, u User) error // ErrEmailTaken
	DeleteUser(ctx context.Context, id string) error

	// OpenLoan fails with ErrBookBorrowed if the book has an open loan, and
	// leaves the transaction usable then.
	OpenLoan(ctx context.Context, l Loan) error
	CloseLoan(ctx context.Context, loanID string, at time.Time) error
	HasOpenLoans(ctx context.Context, userID string) (bool, error)
	// HasAdmin reports whether somebody else than the user has RoleAdmin.
	HasAdmin(ctx context.Context, otherThan string) (bool, error)

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
