package library

import (
	"cmp"
	"context"
	"time"
)

// HoldState is the state of a hold.
type HoldState string

const (
	Waiting   HoldState = "waiting"   // in the queue
	Ready     HoldState = "ready"     // a copy is set aside
	Fulfilled HoldState = "fulfilled" // the holder has borrowed it
	Cancelled HoldState = "cancelled"
	Expired   HoldState = "expired" // the copy was not fetched in time
)

// Hold is a place in a book's queue. It is active until it is fulfilled,
// cancelled or expired, and is kept after that.
type Hold struct {
	ID       string
	Book     BookRef
	Holder   Person // zero if the person is forgotten
	State    HoldState
	Seq      int64     // the order of the queue: an earlier hold has the smaller number; set by the store
	Position int       // in the queue, 1 is next; 0 unless it is waiting
	CopyID   string    // set aside; "" unless the hold is ready
	Barcode  string    // of that copy
	Until    time.Time // the last moment to fetch it; zero unless the hold is ready
	Fetched  time.Time // when staff took the copy off its shelf for the holder; zero before
	Created  time.Time
	Ended    time.Time // zero while it is active
}

// Active reports whether the hold is waiting or ready.
func (h Hold) Active() bool { return h.Ended.IsZero() }

func (h Hold) compare(other Hold) int { return cmp.Compare(h.Seq, other.Seq) }

// HoldFilter selects holds of a list by state.
type HoldFilter string

const (
	ActiveHolds HoldFilter = "active" // waiting and ready, by book and place in the queue
	ReadyHolds  HoldFilter = "ready"
	EndedHolds  HoldFilter = "ended" // newest first
)

// HoldFilters is every filter of holds.
var HoldFilters = []HoldFilter{ActiveHolds, ReadyHolds, EndedHolds}

// HoldQuery selects holds. Active and ready ones are ordered by the identifier of the book and the
// place in the queue (Seq), ended ones by the time of their end, newest first, then identifier.
type HoldQuery struct {
	Filter HoldFilter // "" for ActiveHolds
	UserID string     // "" for any user
	BookID string     // "" for any book
	Limit  int
	After  *Cursor
}

// HoldStore reads holds, complete and with their position.
type HoldStore interface {
	Hold(ctx context.Context, id string) (Hold, error) // ErrHoldNotFound
	Holds(ctx context.Context, q HoldQuery) ([]Hold, error)
	CountHolds(ctx context.Context, q HoldQuery) (int, error)
}

// SeenBy hides the fields for staff.
func (h Hold) SeenBy(a Actor) Hold {
	if !a.IsStaff() {
		h.Fetched = time.Time{}
	}
	return h
}

// Weight estimates the bytes of the hold in memory.
func (h Hold) Weight() int { return 512 + h.Book.Weight() }

// Cursor returns the place of the hold in a list.
func (h Hold) Cursor(filter HoldFilter) Cursor {
	if filter == EndedHolds {
		return Cursor{Order: holdsByEnd, Created: h.Ended, ID: h.ID}
	}
	return Cursor{Order: holdsByPlace, BookID: h.Book.ID, Seq: h.Seq, ID: h.ID}
}

// Order returns the order of a list of holds.
func (f HoldFilter) Order() Order {
	if f == EndedHolds {
		return holdsByEnd
	}
	return holdsByPlace
}
