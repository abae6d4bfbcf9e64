package client

import (
	"context"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// CopyFields is what curators write about a copy. Nothing is required.
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

// Copy returns one copy and its version.
func (c *Client) Copy(ctx context.Context, id string) (api.Copy, Version, error) {
	return record[api.Copy](ctx, c, request{method: http.MethodGet, path: "/copies/" + url.PathEscape(id)})
}

// AddCopy adds a copy to a book.
func (c *Client) AddCopy(ctx context.Context, bookID string, f CopyFields) (api.Copy, error) {
	return ask[api.Copy](ctx, c, request{method: http.MethodPost, path: "/books/" + url.PathEscape(bookID) + "/copies", body: f})
}

// EditCopy replaces a copy; a field that is empty is cleared.
func (c *Client) EditCopy(ctx context.Context, id string, f CopyFields, v Version) (api.Copy, error) {
	return ask[api.Copy](ctx, c, request{method: http.MethodPut, path: "/copies/" + url.PathEscape(id), body: f, version: v})
}

// DeleteCopy deletes a copy that nobody has.
func (c *Client) DeleteCopy(ctx context.Context, id string, v Version) error {
	return c.remove(ctx, request{path: "/copies/" + url.PathEscape(id), version: v})
}
