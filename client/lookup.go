package client

import (
	"context"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// LookUp asks the library's sources what they know of an ISBN: an answer of each that knows
// it, in the order in which the library trusts them.
func (c *Client) LookUp(ctx context.Context, isbn string) ([]api.Lookup, error) {
	return ask[[]api.Lookup](ctx, c, request{method: http.MethodGet, path: "/lookups/" + url.PathEscape(isbn)})
}
