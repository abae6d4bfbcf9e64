package library

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// ChangeKind is the kind of a change.
type ChangeKind string

const (
	BookAdded    ChangeKind = "added"
	BookEdited   ChangeKind = "edited"
	BookDeleted  ChangeKind = "deleted"
	BookBorrowed ChangeKind = "borrowed"
	BookReturned ChangeKind = "returned"
	// BookChanged is another change of a book's copies, queue or set-aside copies.
	BookChanged ChangeKind = "changed"

	// LoanChanged and HoldChanged are for one person alone.
	LoanChanged ChangeKind = "loan"
	HoldChanged ChangeKind = "hold"

	// UserLeft ends the sessions of a user: removed, switched off, with a new e-mail address, or tied
	// to a subject or untied.
	UserLeft ChangeKind = "left"
)

// Change is an event of a book, of somebody's loan or hold, or of a user. A change of a book never
// names its author or the borrower.
type Change struct {
	Position  Position
	Kind      ChangeKind
	ID        string // of the book, the loan, the hold or the user
	Borrowed  bool   // of the book, after the change
	Available int    // copies of the book, after the change
	Step      Step   // of the loan or the hold; StepUnknown for books
	Person    string // identifier of the borrower or holder; "" for books and forgotten people
}

// Step is a change of a loan or a hold.
type Step int

const (
	StepUnknown     Step = iota // not recorded
	LoanOpened                  // lent
	LoanRenewed                 // with a new due date
	LoanClosed                  // returned
	HoldPlaced                  // and waiting
	HoldPlacedReady             // and ready at once
	HoldBecameReady             // a copy is set aside
	HoldOver                    // fulfilled, cancelled or expired
	OtherStep                   // a moved end, another copy, back in the queue
)

// Position is a place in the history of changes: right after one of them. A store finds it only while
// it has the change. So a position of another library, or after a restored backup, is not found
// instead of pointing to a wrong place.
type Position struct {
	TxID, Seq int64 // the order of changes: by transaction, then by number
	Nonce     int64 // random: differs from the same numbers in another history
}

// Compare is negative if p is before q in one history, and 0 if they are equal.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.TxID, q.TxID), cmp.Compare(p.Seq, q.Seq))
}

// String returns the position in an opaque form for callers.
func (p Position) String() string {
	var b [positionSize]byte
	binary.BigEndian.PutUint64(b[0:], uint64(p.TxID))
	binary.BigEndian.PutUint64(b[8:], uint64(p.Seq))
	binary.BigEndian.PutUint64(b[16:], uint64(p.Nonce))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

const positionSize = 24 // bytes, which are 32 characters without a bit to spare

// ParsePosition parses the form of String, and nothing else.
func ParsePosition(s string) (Position, bool) {
	var b [positionSize]byte
	if len(s) != base64.RawURLEncoding.EncodedLen(positionSize) {
		return Position{}, false
	}
	if n, err := base64.RawURLEncoding.Strict().Decode(b[:], []byte(s)); err != nil || n != positionSize {
		return Position{}, false // n: a line break is skipped, not refused
	}
	p := Position{
		TxID:  int64(binary.BigEndian.Uint64(b[0:])),
		Seq:   int64(binary.BigEndian.Uint64(b[8:])),
		Nonce: int64(binary.BigEndian.Uint64(b[16:])),
	}
	return p, p.TxID >= 0 && p.Seq >= 0
}

// ChangeLog reads the history of changes.
type ChangeLog interface {
	// LastChange returns the position of the newest change. A new store has one, too: the beginning of
	// its history.
	LastChange(ctx context.Context) (Position, error)
	// Changes returns up to limit changes right after a position, or ErrPositionLost. The changes of
	// one book are in the order of their commits. Nothing is ever inserted before a returned change,
	// or before LastChange. It returns the committed changes of all processes, and no others.
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)
}

// ErrPositionLost means an unknown position, or one before the beginning of the history. The client
// must read everything again.
var ErrPositionLost = errors.New("library: the history of changes does not have this position")
