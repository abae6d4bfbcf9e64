package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// BookFields are written by curators. Only the title is required.
type BookFields struct {
	Identifier string `json:"identifier,omitempty"` // of a new book; "" lets the service choose
	api.BookFields
	Copies *int `json:"copies,omitempty"` // of a new book, 0 to 999; nil is one
	// For imports alone: a copy for each barcode, and where new copies stand.
	Barcodes []string `json:"barcode,omitempty"`
	Shelf    string   `json:"shelf,omitempty"`
}

// FieldsOf is a book as it would be written again. How many copies it has is
// not written with it; see [Client.AddCopy].
func FieldsOf(b api.Book) BookFields {
	return BookFields{Identifier: b.Identifier, BookFields: b.BookFields}
}

// BookQuery selects books. The zero query lists all of them.
type BookQuery struct {
	Words     string // each begins a word of title, authors, subtitle, series, subjects, publisher, description or ISBN
	Fuzzy     bool   // misspelt Words are corrected; Page.Corrected says to what
	Author    string
	ISBN      string
	IDStart   string // beginning of the identifier, at least four characters
	Borrowed  *bool
	Language  string   // ISO 639
	Kind      string   // one of the kinds of books, such as film
	Subjects  []string // whole subjects, without regard to case and accents; the books have all of them
	Series    string   // in the same way
	From, To  int      // years, inclusive; 0 is no bound
	Available *bool    // whether somebody without a hold can borrow it
	Sort      string   // title, -title, created, -created, published, -published, or relevance if there are Words
	Limit     int      // of one page, 1 to 1000; 0 is no limit
	Cursor    string   // Page.Next of the page before
}

func (q BookQuery) values() url.Values {
	v := pageValues(q.Words, q.Limit, q.Cursor)
	if q.Fuzzy {
		v.Set("fuzzy", "true")
	}
	set(v, "author", q.Author)
	set(v, "isbn", q.ISBN)
	set(v, "identifier", q.IDStart)
	set(v, "sort", q.Sort)
	set(v, "language", q.Language)
	set(v, "kind", q.Kind)
	set(v, "series", q.Series)
	for _, subject := range q.Subjects {
		v.Add("subject", subject)
	}
	setNumber(v, "from", q.From)
	setNumber(v, "to", q.To)
	setBool(v, "borrowed", q.Borrowed)
	setBool(v, "available", q.Available)
	return v
}

// Books returns a page of books.
func (c *Client) Books(ctx context.Context, q BookQuery) (Page[api.Book], error) {
	return list[api.Book](ctx, c, "/books", q.values())
}

// BookPages reads the books of a query page by page: limit books, or all if limit
// is 0. It chooses the sizes of the pages.
func (c *Client) BookPages(ctx context.Context, q BookQuery, limit int) iter.Seq2[Page[api.Book], error] {
	return pages[api.Book](ctx, c, "/books", q.values(), limit)
}

// AllBooks reads the books of a query.
func (c *Client) AllBooks(ctx context.Context, q BookQuery) iter.Seq2[api.Book, error] {
	return Items(c.BookPages(ctx, q, 0))
}

// MyBooks returns the books borrowed by the caller.
func (c *Client) MyBooks(ctx context.Context) (Page[api.Book], error) {
	return list[api.Book](ctx, c, "/me/books", nil)
}

// Book returns one book and its version.
func (c *Client) Book(ctx context.Context, id string) (api.Book, Version, error) {
	return record[api.Book](ctx, c, request{method: http.MethodGet, path: "/books/" + url.PathEscape(id)})
}

// AddBook adds a book.
func (c *Client) AddBook(ctx context.Context, f BookFields) (api.Book, error) {
	return ask[api.Book](ctx, c, request{method: http.MethodPost, path: "/books", body: f})
}

// EditBook replaces a book; an empty field is cleared.
func (c *Client) EditBook(ctx context.Context, id string, f BookFields, v Version) (api.Book, error) {
	return ask[api.Book](ctx, c, request{method: http.MethodPut, path: "/books/" + url.PathEscape(id), body: f, version: v})
}

// DeleteBook deletes a book without loans and holds, with its copies.
func (c *Client) DeleteBook(ctx context.Context, id string, v Version) error {
	return c.remove(ctx, request{path: "/books/" + url.PathEscape(id), version: v})
}

// Borrow borrows a book for the caller. [api.Book.Loan] says until when.
func (c *Client) Borrow(ctx context.Context, id string) (api.Book, error) {
	return c.lending(ctx, id, "/borrow")
}

// Return returns a book of the caller's.
func (c *Client) Return(ctx context.Context, id string) (api.Book, error) {
	return c.lending(ctx, id, "/return")
}

func (c *Client) lending(ctx context.Context, id, verb string) (api.Book, error) {
	return ask[api.Book](ctx, c, request{method: http.MethodPost, path: "/books/" + url.PathEscape(id) + verb})
}

// SetCover replaces the cover of a book. kind is the media type of the picture: image/jpeg,
// image/png or image/webp. The service makes few covers at a time; if it has too many to make, the
// call is made again.
func (c *Client) SetCover(ctx context.Context, bookID, kind string, picture []byte) error {
	_, err := c.do(ctx, request{method: http.MethodPut, path: coverPath(bookID), body: file{kind, picture}, again: true}, maxRecord, nil)
	return err
}

// FetchCover gives a book the cover of its ISBN in the library's source of covers.
func (c *Client) FetchCover(ctx context.Context, bookID string) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: coverPath(bookID) + "/fetch"}, maxRecord, nil)
	return err
}

// RemoveCover takes the cover away from a book.
func (c *Client) RemoveCover(ctx context.Context, bookID string) error {
	return c.remove(ctx, request{path: coverPath(bookID)})
}

func coverPath(bookID string) string { return "/books/" + url.PathEscape(bookID) + "/cover" }

// LookUp asks the library's sources about an ISBN and returns their answers, in the order of the
// library's trust.
func (c *Client) LookUp(ctx context.Context, isbn string) ([]api.Lookup, error) {
	return ask[[]api.Lookup](ctx, c, request{method: http.MethodGet, path: "/lookups/" + url.PathEscape(isbn)})
}

// Suggestions returns up to eight titles, authors, series and subjects to complete a typed text of
// at least two characters.
func (c *Client) Suggestions(ctx context.Context, text string) ([]api.Suggestion, error) {
	return ask[[]api.Suggestion](ctx, c, request{method: http.MethodGet, path: "/suggestions", query: url.Values{"q": {text}}})
}

// CopyFields describe a copy, as written by curators. Nothing is required.
type CopyFields struct {
	Barcode string `json:"barcode,omitempty"`
	Shelf   string `json:"shelf,omitempty"`
	Note    string `json:"note,omitempty"`
	State   string `json:"state,omitempty"` // api.CopyLendable, …; "" is lendable
}

// CopyFieldsOf is a copy as it would be written again.
func CopyFieldsOf(c api.Copy) CopyFields {
	return CopyFields{Barcode: c.Barcode, Shelf: c.Shelf, Note: c.Note, State: c.State}
}

// Copies returns the copies of a book.
func (c *Client) Copies(ctx context.Context, bookID string) (Page[api.Copy], error) {
	return list[api.Copy](ctx, c, "/books/"+url.PathEscape(bookID)+"/copies", nil)
}

// CopyQuery selects copies of all books. The zero query lists all of them.
type CopyQuery struct {
	State      string // api.CopyLendable, …
	Shelf      string
	Book       string // identifier
	SeenBefore string // a day in the form of api.DateLayout: not seen since then
	NeverLent  *bool  // nil for no matter which
	Limit      int    // of one page, 1 to 1000; 0 is no limit
	Cursor     string // Page.Next of the page before
}

func (q CopyQuery) values() url.Values {
	v := pageValues("", q.Limit, q.Cursor)
	set(v, "state", q.State)
	set(v, "shelf", q.Shelf)
	set(v, "book", q.Book)
	set(v, "seenBefore", q.SeenBefore)
	setBool(v, "neverLent", q.NeverLent)
	return v
}

// AllCopies returns a page of the copies of all books with their books, by shelf.
func (c *Client) AllCopies(ctx context.Context, q CopyQuery) (Page[api.Copy], error) {
	return list[api.Copy](ctx, c, "/copies", q.values())
}

// CopyPages is [Client.BookPages] for copies.
func (c *Client) CopyPages(ctx context.Context, q CopyQuery, limit int) iter.Seq2[Page[api.Copy], error] {
	return pages[api.Copy](ctx, c, "/copies", q.values(), limit)
}

// Copy returns one copy and its version.
func (c *Client) Copy(ctx context.Context, id string) (api.Copy, Version, error) {
	return record[api.Copy](ctx, c, request{method: http.MethodGet, path: "/copies/" + url.PathEscape(id)})
}

// AddCopy adds a copy to a book.
func (c *Client) AddCopy(ctx context.Context, bookID string, f CopyFields) (api.Copy, error) {
	return ask[api.Copy](ctx, c, request{method: http.MethodPost, path: "/books/" + url.PathEscape(bookID) + "/copies", body: f})
}

// EditCopy replaces a copy; an empty field is cleared.
func (c *Client) EditCopy(ctx context.Context, id string, f CopyFields, v Version) (api.Copy, error) {
	return ask[api.Copy](ctx, c, request{method: http.MethodPut, path: "/copies/" + url.PathEscape(id), body: f, version: v})
}

// SeeCopy records that somebody has a copy in hand, at the desk. [api.Copy.WasMissing] says if it was
// missing until then.
func (c *Client) SeeCopy(ctx context.Context, id string) (api.Copy, error) {
	return ask[api.Copy](ctx, c, request{method: http.MethodPost, path: "/copies/" + url.PathEscape(id) + "/seen"})
}

// DeleteCopy deletes a copy without a loan.
func (c *Client) DeleteCopy(ctx context.Context, id string, v Version) error {
	return c.remove(ctx, request{path: "/copies/" + url.PathEscape(id), version: v})
}
