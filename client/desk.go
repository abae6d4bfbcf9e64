package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// Code returns what a scanner has read: a copy, the books with an ISBN, or, for
// curators, a reader.
func (c *Client) Code(ctx context.Context, code string) (api.Code, error) {
	return ask[api.Code](ctx, c, request{method: http.MethodGet, path: "/codes/" + url.PathEscape(code)})
}

// ReaderQuery says which readers to list. The zero query lists all of them.
type ReaderQuery struct {
	Words  string // each begins a word of name or e-mail address
	Card   string // exactly
	Group  string // "" for no matter which; case does not matter
	Limit  int    // of one page, 1 to 1000; 0 is no limit
	Cursor string // Page.Next of the page before
}

func (q ReaderQuery) values() url.Values {
	v := pageValues(q.Words, q.Limit, q.Cursor)
	set(v, "card", q.Card)
	set(v, "group", q.Group)
	return v
}

// Readers returns a page of people, as the desk sees them.
func (c *Client) Readers(ctx context.Context, q ReaderQuery) (Page[api.Reader], error) {
	return list[api.Reader](ctx, c, "/readers", q.values())
}

// ReaderPages is [Client.BookPages] for readers.
func (c *Client) ReaderPages(ctx context.Context, q ReaderQuery, limit int) iter.Seq2[Page[api.Reader], error] {
	return pages[api.Reader](ctx, c, "/readers", q.values(), limit)
}

// AllReaders reads the readers of a query.
func (c *Client) AllReaders(ctx context.Context, q ReaderQuery) iter.Seq2[api.Reader, error] {
	return Items(c.ReaderPages(ctx, q, 0))
}
