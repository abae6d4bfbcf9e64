package client

import (
	"context"
	"net/http"

	"example.org/library/api"
)

// Me returns the caller's own record and what the caller may do.
func (c *Client) Me(ctx context.Context) (api.Me, error) {
	return ask[api.Me](ctx, c, request{method: http.MethodGet, path: "/me"})
}

// MeFields is what callers can change of their own record. What is empty stays
// as it is.
type MeFields struct {
	Locale    string `json:"locale,omitempty"` // en or de
	Reminders *bool  `json:"reminders,omitempty"`
}

// EditMe changes the caller's own record.
func (c *Client) EditMe(ctx context.Context, f MeFields) (api.Me, error) {
	return ask[api.Me](ctx, c, request{method: http.MethodPut, path: "/me", body: f})
}

// ForgetHistory makes the library forget the caller in all returned loans.
func (c *Client) ForgetHistory(ctx context.Context) error {
	return c.remove(ctx, request{path: "/me/history"})
}

// Export returns everything that the library knows of the caller.
func (c *Client) Export(ctx context.Context) (api.Export, error) {
	var out api.Export
	_, err := c.do(ctx, request{method: http.MethodGet, path: "/me/export"}, maxPage, &out)
	return out, err
}

// Calendar returns a file for calendar programs (iCalendar) with the days on which the
// caller's loans are due.
func (c *Client) Calendar(ctx context.Context) ([]byte, error) {
	f := file{kind: "text/calendar"}
	_, err := c.do(ctx, request{method: http.MethodGet, path: "/me/calendar", accept: f.kind}, maxPage, &f)
	return f.content, err
}
