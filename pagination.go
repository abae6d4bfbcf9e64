package library

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"time"

	"example.org/library/internal/validation"
)

// The orders of lists, and places in them. Package pagination reads lists without knowing their
// records.

// MaxPage is the largest page of a list.
const MaxPage = 1000

// MaxCorrection is the limit of a corrected question in bytes, because cursors contain it.
const MaxCorrection = 2000

// Order is the order of a list.
type Order string

const (
	ByTitle         Order = "title"
	ByTitleReverse  Order = "-title"
	ByCreated       Order = "created"
	ByCreatedNewest Order = "-created"
	// By the year, books without one last; then by title.
	ByPublished       Order = "published"
	ByPublishedNewest Order = "-published"
	// By the class of the match, see MostRelevant; then by title.
	ByRelevance Order = "relevance"
)

// Orders lists the orders of books without a question.
var Orders = []Order{ByTitle, ByTitleReverse, ByCreated, ByCreatedNewest, ByPublished, ByPublishedNewest}

// The orders of other lists. They mark their cursors.
const (
	ByLastName    Order = "name"     // users and readers
	ByShelf       Order = "shelf"    // copies; those without a shelf last
	loansByDue    Order = "due"      // loans without a due date last
	loansByClaim  Order = "claimed"  // the earliest first
	loansByReturn Order = "returned" // newest first
	holdsByPlace  Order = "place"    // by book, then place in the queue
	holdsByEnd    Order = "ended"    // newest first

	NoticesByCreation Order = "noticed" // newest first
	ByStart           Order = "started" // stocktakes, newest first
	ByCode            Order = "code"    // codes in a stocktake
)

// Cursor is a place in a list, right after a record. It holds the record's sort key, so it stays valid
// after the record is deleted.
type Cursor struct {
	Order     Order
	Title     string    // books by title
	Created   time.Time // creation of books, due date (zero for never) or return of loans, end of holds
	Published int       // books by year; 0 for none
	Class     Class     // books by relevance
	BookID    string    // holds by place in the queue
	Seq       int64
	Shelf     string // copies
	Barcode   string
	LastName  string // users
	FirstName string
	ID        string
	Corrected string // the corrected question of the list
}

// cursorWire is the form of a cursor on the wire, without sort keys computed from other fields.
type cursorWire struct {
	Order Order  `json:"o"`
	Key   string `json:"k,omitempty"`
	Key2  string `json:"l,omitempty"`
	Key3  string `json:"b,omitempty"`
	Micro int64  `json:"t,omitempty"` // 0 for the zero time
	Seq   int64  `json:"s,omitempty"`
	ID    string `json:"i"`
	Asked string `json:"q,omitempty"`
}

// String returns the cursor in an opaque form for callers.
func (c Cursor) String() string {
	w := cursorWire{Order: c.Order, ID: c.ID, Asked: c.Corrected}
	switch c.Order {
	case ByTitle, ByTitleReverse:
		w.Key = c.Title
	case ByPublished, ByPublishedNewest:
		w.Key, w.Seq = c.Title, int64(c.Published)
	case ByRelevance:
		w.Key, w.Seq = c.Title, int64(c.Class)
	case ByLastName:
		w.Key, w.Key2 = c.LastName, c.FirstName
	case ByShelf:
		w.Key, w.Key2, w.Key3 = c.Title, c.Shelf, c.Barcode
	case holdsByPlace, ByCode:
		w.Key, w.Seq = c.BookID, c.Seq
	default:
		if !c.Created.IsZero() {
			w.Micro = c.Created.UnixMicro()
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // six bytes for an ampersand would make it too long to be read again
	encoder.Encode(w)            // strings and numbers always marshal
	return base64.RawURLEncoding.EncodeToString(bytes.TrimSpace(b.Bytes()))
}

// ParseCursor parses a cursor of a list in the given order.
func ParseCursor(s string, order Order) (*Cursor, bool) {
	const longest = 8192 // a title of 255 code points and the longest correction, escaped and encoded
	if len(s) > longest {
		return nil, false
	}
	var w cursorWire
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || json.Unmarshal(b, &w) != nil || w.Order != order {
		return nil, false
	}
	var bad validation.Problems
	bad.Line("cursor", w.Key, MaxTitle)
	bad.Line("cursor", w.Key2, MaxTitle)
	bad.Line("cursor", w.Key3, MaxBarcode)
	bad.Line("cursor", w.Asked, MaxCorrection)
	if _, ok := ParseID(w.ID); !ok || len(bad) > 0 || w.Micro < 0 || w.Micro >= endOfTime || w.Seq < 0 {
		return nil, false
	}
	c := Cursor{Order: order, ID: w.ID, Corrected: w.Asked}
	switch order {
	case ByTitle, ByTitleReverse:
		c.Title = w.Key
	case ByPublished, ByPublishedNewest:
		if w.Seq > MaxYear {
			return nil, false
		}
		c.Title, c.Published = w.Key, int(w.Seq)
	case ByRelevance:
		if w.Seq > int64(Unranked) {
			return nil, false
		}
		c.Title, c.Class = w.Key, Class(w.Seq)
	case ByLastName:
		c.LastName, c.FirstName = w.Key, w.Key2
	case ByShelf:
		c.Title, c.Shelf, c.Barcode = w.Key, w.Key2, w.Key3
	case holdsByPlace, ByCode:
		c.BookID, c.Seq = w.Key, w.Seq
	default:
		if w.Micro != 0 {
			c.Created = time.UnixMicro(w.Micro).UTC()
		}
	}
	return &c, true
}

// endOfTime is the year 10000, in microseconds since 1970: beyond what a
// timestamp can be written as.
const endOfTime = 253_402_300_800_000_000
