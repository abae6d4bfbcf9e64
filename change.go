package library

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// ChangeKind is what happened.
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

	// UserLeft is a user who was removed, or has another e-mail address now:
	// whose sessions must authenticate anew.
	UserLeft ChangeKind = "left"
)

// Change is one thing that happened to a book, to somebody's loan or hold, or a
// user who left. A change of a book never names the person who made it or who has
// the book.
type Change struct {
	Position  Position
	Kind      ChangeKind
	ID        string // of the book, the loan, the hold, or of the user who left
	Borrowed  bool   // of the book, after the change
	Available int    // copies of the book, after the change
	Step      Step   // of the loan or the hold; StepUnknown for books
	Person    string // identifier of the user whose loan or hold it is; "" for books, and if the person is forgotten
}

// Step is what happened to a loan or a hold.
type Step int

const (
	StepUnknown     Step = iota // written by a program that does not tell
	LoanOpened                  // lent
	LoanRenewed                 // with a new due date
	LoanClosed                  // returned
	HoldPlaced                  // and waiting
	HoldPlacedReady             // and ready at once
	HoldBecameReady             // a copy is set aside
	HoldOver                    // fulfilled, cancelled or expired
	OtherStep                   // nothing of these: a moved end, another copy, back in the queue
)

// Position is a place in the history of changes: right after one of them. A store
// finds it only while that change is stored. So a position of another library, or of
// changes that are not in a restored backup, is not found, instead of pointing to a
// wrong place.
type Position struct {
	TxID, Seq int64 // the order of changes: by transaction, then by number
	Nonce     int64 // random: differs from that of a change with the same numbers in another history
}

// Compare is negative if p is before q in one history, and 0 if they are equal.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.TxID, q.TxID), cmp.Compare(p.Seq, q.Seq))
}

// String is the position as callers carry it around: opaque to them.
func (p Position) String() string {
	var b [positionSize]byte
	binary.BigEndian.PutUint64(b[0:], uint64(p.TxID))
	binary.BigEndian.PutUint64(b[8:], uint64(p.Seq))
	binary.BigEndian.PutUint64(b[16:], uint64(p.Nonce))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

const positionSize = 24 // bytes, which are 32 characters without a bit to spare

// ParsePosition reads what String has written, and nothing else.
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

// ChangeLog is the history of changes, as a store keeps it.
type ChangeLog interface {
	// LastChange is the position of the newest change. There always is one: a
	// new store has a beginning that can be pointed at.
	LastChange(ctx context.Context) (Position, error)
	// Changes returns up to limit changes right after a position, in an order
	// in which each book's changes follow each other as they happened, or
	// ErrPositionLost. Nothing is ever inserted before a change that was
	// returned, or before LastChange. All committed changes are returned, of every
	// process, and no others.
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)
}

// ErrPositionLost means that the history does not reach back to a position, or
// never had it: a client at that position must read everything again.
var ErrPositionLost = errors.New("library: the history of changes does not have this position")
