package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// HoldQuery says which holds to list. The zero query lists all active ones
// that the caller may see: readers see their own.
type HoldQuery struct {
	State  string // api.HoldsActive, api.HoldsReady or api.HoldsEnded; "" is active
	User   string // identifier
	Book   string // identifier
	Limit  int    // of one page, 1 to 1000; 0 is no limit
	Cursor string // Page.Next of the page before
}

func (q HoldQuery) values() url.Values {
	return LoanQuery{State: q.State, User: q.User, Book: q.Book, Limit: q.Limit, Cursor: q.Cursor}.values()
}

// Holds returns a page of holds: by book and place in the queue, ended ones
// newest first.
func (c *Client) Holds(ctx context.Context, q HoldQuery) (Page[api.Hold], error) {
	return list[api.Hold](ctx, c, "/holds", q.values())
}

// HoldPages is [Client.BookPages] for holds.
func (c *Client) HoldPages(ctx context.Context, q HoldQuery, limit int) iter.Seq2[Page[api.Hold], error] {
	return pages[api.Hold](ctx, c, "/holds", q.values(), limit)
}

// AllHolds reads the holds of a query.
func (c *Client) AllHolds(ctx context.Context, q HoldQuery) iter.Seq2[api.Hold, error] {
	return Items(c.HoldPages(ctx, q, 0))
}

// Hold returns one hold.
func (c *Client) Hold(ctx context.Context, id string) (api.Hold, error) {
	return ask[api.Hold](ctx, c, request{method: http.MethodGet, path: "/holds/" + url.PathEscape(id)})
}

// PlaceHold puts the caller into the queue of a book of which no copy is
// available.
func (c *Client) PlaceHold(ctx context.Context, bookID string) (api.Hold, error) {
	return ask[api.Hold](ctx, c, request{method: http.MethodPost, path: "/books/" + url.PathEscape(bookID) + "/holds"})
}

// FetchHold notes whether the copy of a ready hold was fetched from its shelf.
func (c *Client) FetchHold(ctx context.Context, id string, fetched bool) (api.Hold, error) {
	body := map[string]bool{"fetched": fetched}
	return ask[api.Hold](ctx, c, request{method: http.MethodPut, path: "/holds/" + url.PathEscape(id), body: body})
}

// CancelHold cancels an active hold: one of the caller's own, or at the desk.
func (c *Client) CancelHold(ctx context.Context, id string) error {
	return c.remove(ctx, request{path: "/holds/" + url.PathEscape(id)})
}
