package responsecache

import (
	"bytes"
	"slices"
	"strconv"

	"example.org/library"
)

// Response is a success that is ready to be sent, any number of times. Header values
// have the form in which net/http takes them.
type Response struct {
	Body   []byte
	Length []string
	Tag    []string // ETag, nil for none
	Total  []string // X-Total-Count, nil for none
	Link   []string // Link, nil for none
	// X-Corrected-Query, nil for none
	Corrected []string

	Parts []Part // the books that it shows, if it is to be cached
}

// NewResponse returns a response with a body, and with a tag unless that is "".
func NewResponse(body []byte, tag string) *Response {
	r := &Response{Body: body, Length: []string{strconv.Itoa(len(body))}}
	if tag != "" {
		r.Tag = []string{tag}
	}
	return r
}

// Part is a book that a response shows.
type Part struct {
	End int // of its text in the body

	book    string   // identifier
	readers []string // whom it concerns: they see something else than others
	isAlike bool     // all others see the same
}

// PartOf returns a part without its end.
func PartOf(b library.Book) Part {
	return Part{book: b.ID, readers: b.Readers, isAlike: b.LooksAlike()}
}

func (p Part) subject() string { return library.RevisionSubject(p.book) }

// differs reports whether a user may see something else of the book than others.
func (p Part) differs(user string) bool { return !p.isAlike || slices.Contains(p.readers, user) }

// IsPrivate reports whether a response that shows the parts to a user is for nobody
// else.
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

// hasPrivateBeside reports whether a user may see something else than others of a
// book that is not among the subjects.
func (r *Response) hasPrivateBeside(subjects []string, user string) bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool {
		return !slices.Contains(subjects, p.subject()) && p.differs(user)
	})
}

// booksOf returns the identifiers of the books that are the subjects.
func (r *Response) booksOf(subjects []string) (books []string) {
	for _, p := range r.Parts {
		if slices.Contains(subjects, p.subject()) {
			books = append(books, p.book)
		}
	}
	return books
}

// Patch returns the list with other responses for some of its books, in the order of
// the list. It has no tag.
func (r *Response) Patch(books []*Response) *Response {
	var body bytes.Buffer
	body.Grow(len(r.Body) + 256)
	parts := slices.Clone(r.Parts)
	start := 0
	for i, p := range parts {
		text := r.Body[start:p.End] // with the bracket or comma before it
		start = p.End
		if len(books) > 0 && books[0].Parts[0].book == p.book {
			body.WriteByte(text[0])
			text = books[0].Body
			parts[i] = books[0].Parts[0]
			books = books[1:]
		}
		body.Write(text)
		parts[i].End = body.Len()
	}
	body.Write(r.Body[start:])
	patched := NewResponse(body.Bytes(), "")
	patched.Total, patched.Link, patched.Corrected, patched.Parts = r.Total, r.Link, r.Corrected, parts
	return patched
}
