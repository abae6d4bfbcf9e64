package library

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// Order is how a list of books is sorted.
type Order string

const (
	ByTitle         Order = "title"
	ByTitleReverse  Order = "-title"
	ByCreated       Order = "created"
	ByCreatedNewest Order = "-created"
)

// Orders is every order of books.
var Orders = []Order{ByTitle, ByTitleReverse, ByCreated, ByCreatedNewest}

// byLastName is the one order of users. It marks their cursors.
const byLastName Order = "name"

// Cursor is a place in a list: the record after which to go on. It holds the
// record's sort key, so that it stays good when the record is gone.
type Cursor struct {
	Order     Order
	Title     string    // books by title
	Created   time.Time // books by creation
	LastName  string    // users
	FirstName string
	ID        string
}

// cursorWire is a cursor as it travels. Sort keys that can be computed from
// the record's fields do not travel.
type cursorWire struct {
	Order Order  `json:"o"`
	Key   string `json:"k,omitempty"`
	Key2  string `json:"l,omitempty"`
	Micro int64  `json:"t,omitempty"`
	ID    string `json:"i"`
}

// String is the cursor as callers carry it around: opaque to them.
func (c Cursor) String() string {
	w := cursorWire{Order: c.Order, ID: c.ID}
	switch c.Order {
	case ByTitle, ByTitleReverse:
		w.Key = c.Title
	case byLastName:
		w.Key, w.Key2 = c.LastName, c.FirstName
	default:
		w.Micro = c.Created.UnixMicro()
	}
	b, _ := json.Marshal(w) // strings and numbers always marshal
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseBookCursor reads a cursor that a list of books in the given order gave.
func ParseBookCursor(s string, order Order) (*Cursor, bool) {
	w, ok := parseCursor(s, order)
	if !ok {
		return nil, false
	}
	return &Cursor{Order: order, Title: w.Key, Created: time.UnixMicro(w.Micro).UTC(), ID: w.ID}, true
}

// ParseUserCursor reads a cursor that a list of users gave.
func ParseUserCursor(s string) (*Cursor, bool) {
	w, ok := parseCursor(s, byLastName)
	if !ok {
		return nil, false
	}
	return &Cursor{Order: byLastName, LastName: w.Key, FirstName: w.Key2, ID: w.ID}, true
}

func parseCursor(s string, order Order) (cursorWire, bool) {
	const longest = 8192 // a title of 255 code points, escaped and encoded
	var w cursorWire
	if len(s) > longest {
		return w, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || json.Unmarshal(b, &w) != nil || w.Order != order {
		return w, false
	}
	var bad problems
	bad.line("cursor", w.Key, MaxTitle)
	bad.line("cursor", w.Key2, MaxTitle)
	_, ok := ParseID(w.ID)
	return w, ok && len(bad) == 0 && 0 <= w.Micro && w.Micro < endOfTime
}

// endOfTime is the year 10000, in microseconds since 1970: beyond what a
// timestamp can be written as.
const endOfTime = 253_402_300_800_000_000
