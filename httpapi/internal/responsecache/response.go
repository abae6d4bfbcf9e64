package responsecache

import (
	"slices"

	"example.org/library"
)

// Response is a success, ready to be sent any number of times, with the values of its headers, "" for none.
type Response struct {
	Body      []byte
	Tag       string // ETag
	Total     string // X-Total-Count
	AtLeast   bool   // X-Total-Count-Exact: false
	Link      string
	Corrected string // X-Corrected-Query
	File      string // of a spreadsheet: its name

	Parts []Part // the books in it, if it is to be cached
}

// NewResponse returns a response with a body, and with a tag unless it is "".
func NewResponse(body []byte, tag string) *Response {
	return &Response{Body: body, Tag: tag}
}

// Part is a book in a response.
type Part struct {
	book    string   // identifier
	readers []string // readers with a view of their own
	isAlike bool     // all others see the same
}

// PartOf returns the part of a response for a book.
func PartOf(b library.Book) Part {
	return Part{book: b.ID, readers: b.Readers, isAlike: b.LooksAlike()}
}

func (p Part) subject() string { return library.RevisionSubject(p.book) }

// differs reports whether a user may see something else of the book than others.
func (p Part) differs(user string) bool { return !p.isAlike || slices.Contains(p.readers, user) }

// IsPrivate reports whether a response with these parts for a user is for nobody else.
func IsPrivate(parts []Part, user string) bool {
	readers := 0
	for _, p := range parts {
		readers += len(p.readers)
		if p.differs(user) {
			return true
		}
	}
	return readers > maxReaders
}
