package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// UserFields are written by admins. Nil Roles leave the roles of a user as they are; an empty
// slice takes them all away.
type UserFields struct {
	Identifier string   `json:"identifier,omitempty"` // of a new user; "" lets the service choose
	Email      string   `json:"email"`
	FirstName  string   `json:"firstName"`
	LastName   string   `json:"lastName"`
	Roles      []string `json:"roles,omitzero"`
	Card       string   `json:"card,omitempty"`      // "" is none
	Locale     string   `json:"locale,omitempty"`    // "" is the library's
	Reminders  *bool    `json:"reminders,omitempty"` // nil is yes
	Group      string   `json:"group,omitempty"`     // "" is none
	Category   string   `json:"category,omitempty"`  // "" is none
	Active     *bool    `json:"active,omitempty"`    // nil leaves it as it is, and is yes for a new user
	Station    *bool    `json:"station,omitempty"`   // nil leaves it as it is, and is no for a new user
	Note       *string  `json:"note,omitempty"`      // of staff; nil leaves it as it is
	Block      *string  `json:"block,omitempty"`     // why nothing is lent to the person; nil leaves it as it is
}

// UserFieldsOf returns the fields for writing a user again unchanged.
func UserFieldsOf(u api.User) UserFields {
	return UserFields{
		Identifier: u.Identifier, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		Card: u.Card, Locale: u.Locale, Reminders: &u.Reminders, Group: u.Group, Category: u.Category,
	}
}

// ReaderFields are written by curators.
type ReaderFields struct {
	Card  string `json:"card,omitempty"`
	Note  string `json:"note,omitempty"`
	Block string `json:"block,omitempty"` // why nothing is lent to the person
}

// Reader returns one person, as the desk sees them, and the version.
func (c *Client) Reader(ctx context.Context, id string) (api.Reader, Version, error) {
	return record[api.Reader](ctx, c, request{method: http.MethodGet, path: "/readers/" + url.PathEscape(id)})
}

// EditReader replaces what the desk writes about a person; an empty field is cleared.
func (c *Client) EditReader(ctx context.Context, id string, f ReaderFields, v Version) (api.Reader, error) {
	return ask[api.Reader](ctx, c, request{method: http.MethodPut, path: "/readers/" + url.PathEscape(id), body: f, version: v})
}

// UserQuery selects users. The zero query lists all of them.
type UserQuery struct {
	Words    string // each begins a word of name or e-mail address
	Group    string // "" for no matter which; case does not matter
	Category string // the same
	Active   *bool  // nil for no matter which
	Limit    int    // of one page, 1 to 1000; 0 is no limit
	Cursor   string // Page.Next of the page before
}

func (q UserQuery) values() url.Values {
	v := pageValues(q.Words, q.Limit, q.Cursor)
	set(v, "group", q.Group)
	set(v, "category", q.Category)
	setBool(v, "active", q.Active)
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

// EditUser replaces a user; an empty field takes its default.
func (c *Client) EditUser(ctx context.Context, id string, f UserFields, v Version) (api.User, error) {
	return ask[api.User](ctx, c, request{method: http.MethodPut, path: "/users/" + url.PathEscape(id), body: f, version: v})
}

// UnbindUser unties a user from the subject of the identity provider.
func (c *Client) UnbindUser(ctx context.Context, id string) error {
	return c.remove(ctx, request{path: "/users/" + url.PathEscape(id) + "/subject"})
}

// RemoveUser removes a user without borrowed books. The user's holds are cancelled.
func (c *Client) RemoveUser(ctx context.Context, id string, v Version) error {
	return c.remove(ctx, request{path: "/users/" + url.PathEscape(id), version: v})
}

// Code looks up a scanned code: a copy, the books with an ISBN, or, for curators, a reader.
func (c *Client) Code(ctx context.Context, code string) (api.Code, error) {
	return ask[api.Code](ctx, c, request{method: http.MethodGet, path: "/codes/" + url.PathEscape(code)})
}

// ReaderQuery selects readers. The zero query lists all of them.
type ReaderQuery struct {
	Words    string // each begins a word of name or e-mail address
	Card     string // exactly
	Group    string // "" for no matter which; case does not matter
	Category string // the same
	Active   *bool  // nil for no matter which
	Limit    int    // of one page, 1 to 1000; 0 is no limit
	Cursor   string // Page.Next of the page before
}

func (q ReaderQuery) values() url.Values {
	v := pageValues(q.Words, q.Limit, q.Cursor)
	set(v, "card", q.Card)
	set(v, "group", q.Group)
	set(v, "category", q.Category)
	setBool(v, "active", q.Active)
	return v
}

// Readers returns a page of people, as the desk sees them.
func (c *Client) Readers(ctx context.Context, q ReaderQuery) (Page[api.Reader], error) {
	return list[api.Reader](ctx, c, "/readers", q.values())
}

// AllReaders reads the readers of a query.
func (c *Client) AllReaders(ctx context.Context, q ReaderQuery) iter.Seq2[api.Reader, error] {
	return Items(pages[api.Reader](ctx, c, "/readers", q.values(), 0))
}

// Me returns the caller's own record and authorities.
func (c *Client) Me(ctx context.Context) (api.Me, error) {
	return ask[api.Me](ctx, c, request{method: http.MethodGet, path: "/me"})
}

// MeFields are the caller's own settings. An empty field stays as it is.
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

// Export returns all data of the caller in the library.
func (c *Client) Export(ctx context.Context) (api.Export, error) {
	var out api.Export
	_, err := c.do(ctx, request{method: http.MethodGet, path: "/me/export"}, maxPage, &out)
	return out, err
}

// Calendar returns a file for calendar programs (iCalendar) with the due days of the caller's
// loans.
func (c *Client) Calendar(ctx context.Context) ([]byte, error) {
	f := file{kind: "text/calendar"}
	_, err := c.do(ctx, request{method: http.MethodGet, path: "/me/calendar", accept: f.kind}, maxPage, &f)
	return f.content, err
}
