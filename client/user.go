package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// UserFields is what admins write. Nil Roles leave the roles of a user as they
// are; an empty slice takes them all away.
type UserFields struct {
	Identifier string   `json:"identifier,omitempty"` // of a new user; "" lets the service choose
	Email      string   `json:"email"`
	FirstName  string   `json:"firstName"`
	LastName   string   `json:"lastName"`
	Roles      []string `json:"roles,omitzero"`
	Card       string   `json:"card,omitempty"`      // "" is none
	Locale     string   `json:"locale,omitempty"`    // "" is en
	Reminders  *bool    `json:"reminders,omitempty"` // nil is yes
	Group      string   `json:"group,omitempty"`     // "" is none
	Active     *bool    `json:"active,omitempty"`    // nil leaves it as it is, and is yes for a new user
}

// UserFieldsOf is a user as it would be written again, with what nil leaves as it is
// left so.
func UserFieldsOf(u api.User) UserFields {
	return UserFields{
		Identifier: u.Identifier, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		Card: u.Card, Locale: u.Locale, Reminders: &u.Reminders, Group: u.Group,
	}
}

// UserQuery says which users to list. The zero query lists all of them.
type UserQuery struct {
	Words  string // each begins a word of name or e-mail address
	Group  string // "" for no matter which; case does not matter
	Limit  int    // of one page, 1 to 1000; 0 is no limit
	Cursor string // Page.Next of the page before
}

func (q UserQuery) values() url.Values {
	v := pageValues(q.Words, q.Limit, q.Cursor)
	set(v, "group", q.Group)
	return v
}

// Users returns a page of users.
func (c *Client) Users(ctx context.Context, q UserQuery) (Page[api.User], error) {
	return list[api.User](ctx, c, "/users", q.values())
}

// UserPages is [Client.BookPages] for users.
func (c *Client) UserPages(ctx context.Context, q UserQuery, limit int) iter.Seq2[Page[api.User], error] {
	return pages[api.User](ctx, c, "/users", q.values(), limit)
}

// AllUsers reads the users of a query.
func (c *Client) AllUsers(ctx context.Context, q UserQuery) iter.Seq2[api.User, error] {
	return Items(c.UserPages(ctx, q, 0))
}

// User returns one user and the record's version.
func (c *Client) User(ctx context.Context, id string) (api.User, Version, error) {
	return record[api.User](ctx, c, request{method: http.MethodGet, path: "/users/" + url.PathEscape(id)})
}

// AddUser adds a user.
func (c *Client) AddUser(ctx context.Context, f UserFields) (api.User, error) {
	return ask[api.User](ctx, c, request{method: http.MethodPost, path: "/users", body: f})
}

// EditUser replaces a user; a field that is empty takes its default.
func (c *Client) EditUser(ctx context.Context, id string, f UserFields, v Version) (api.User, error) {
	return ask[api.User](ctx, c, request{method: http.MethodPut, path: "/users/" + url.PathEscape(id), body: f, version: v})
}

// UnbindUser unties a user from the subject of the identity provider.
func (c *Client) UnbindUser(ctx context.Context, id string) error {
	return c.remove(ctx, request{path: "/users/" + url.PathEscape(id) + "/subject"})
}

// RemoveUser removes a user who has no borrowed books. The user's holds are
// cancelled.
func (c *Client) RemoveUser(ctx context.Context, id string, v Version) error {
	return c.remove(ctx, request{path: "/users/" + url.PathEscape(id), version: v})
}
