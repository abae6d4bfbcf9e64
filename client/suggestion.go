package client

import (
	"context"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// Suggestions are up to eight titles, authors, series and subjects that somebody may be
// typing; text has at least two characters.
func (c *Client) Suggestions(ctx context.Context, text string) ([]api.Suggestion, error) {
	var found []api.Suggestion
	_, err := c.do(ctx, request{method: http.MethodGet, path: "/suggestions", query: url.Values{"q": {text}}}, maxPage, &found)
	return found, err
}
