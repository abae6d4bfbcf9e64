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

// MaxPage is the largest page that a caller may ask for.
const MaxPage = 1000

// BookQuery says which books to list. The zero value is all of them by title.
type BookQuery struct {
	Terms      []Term // in title, authors, description or ISBN
	Authors    []Term // in the authors
	ISBN       string // an ISBNKey
	IDStart    string // beginning of the identifier, see ParseIDStart
	Borrowed   *bool
	BorrowedBy string   // identifier of the user who has the books now
	IDs        []string // only these; nil for no matter which
	Order      Order
	Limit      int // 0 for no limit
	Weight     int // bytes; behind the book with which the weight of all reaches it, no more are returned; 0 for no bound
	After      *Cursor
	Brief      bool // without what a cursor does not need, to find out quickly which books there are
}

// UserQuery says which users to list, by last name. The zero value is all.
type UserQuery struct {
	Terms []Term // in first name, last name or e-mail address
	Limit int
	After *Cursor
}

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
	var bad faults
	bad.clean("cursor", w.Key, MaxTitle, isNUL)
	bad.clean("cursor", w.Key2, MaxTitle, isNUL)
	_, ok := ParseID(w.ID)
	return w, ok && len(bad) == 0 && 0 <= w.Micro && w.Micro < endOfTime
}

// endOfTime is the year 10000, in microseconds since 1970. Not every database
// can hold what is beyond.
const endOfTime = 253_402_300_800_000_000

// isNUL is the one character that PostgreSQL cannot hold.
func isNUL(r rune) bool { return r == 0 }

func (b Book) cursor(o Order) Cursor {
	return Cursor{Order: o, Title: b.Title, Created: b.Created, ID: b.ID}
}

func (u User) cursor() Cursor {
	return Cursor{Order: byLastName, LastName: u.LastName, FirstName: u.FirstName, ID: u.ID}
}
