package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// LoanQuery says which loans to list. The zero query lists all open ones that
// the caller may see: readers see their own.
type LoanQuery struct {
	State  string // api.LoansOpen, api.LoansOverdue or api.LoansReturned; "" is open
	User   string // identifier
	Book   string // identifier
	Group  string // of the borrower, for staff; case does not matter
	Limit  int    // of one page, 1 to 1000; 0 is no limit
	Cursor string // Page.Next of the page before
}

func (q LoanQuery) values() url.Values {
	v := pageValues("", q.Limit, q.Cursor)
	set(v, "state", q.State)
	set(v, "user", q.User)
	set(v, "book", q.Book)
	set(v, "group", q.Group)
	return v
}

// Loans returns a page of loans: those that are due first come first, returned
// ones newest first.
func (c *Client) Loans(ctx context.Context, q LoanQuery) (Page[api.Loan], error) {
	return list[api.Loan](ctx, c, "/loans", q.values())
}

// LoanPages is [Client.BookPages] for loans.
func (c *Client) LoanPages(ctx context.Context, q LoanQuery, limit int) iter.Seq2[Page[api.Loan], error] {
	return pages[api.Loan](ctx, c, "/loans", q.values(), limit)
}

// AllLoans reads the loans of a query.
func (c *Client) AllLoans(ctx context.Context, q LoanQuery) iter.Seq2[api.Loan, error] {
	return Items(c.LoanPages(ctx, q, 0))
}

// Loan returns one loan.
func (c *Client) Loan(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodGet, path: "/loans/" + url.PathEscape(id)})
}

// LoanFields says what is lent to whom at the desk. One of Book, Copy and
// Barcode is given.
type LoanFields struct {
	User    string `json:"user"`           // identifier
	Book    string `json:"book,omitempty"` // identifier; the service chooses the copy
	Copy    string `json:"copy,omitempty"` // identifier
	Barcode string `json:"barcode,omitempty"`
}

// Lend lends to somebody at the desk.
func (c *Client) Lend(ctx context.Context, f LoanFields) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans", body: f})
}

// Renew renews a loan: one of the caller's own, or at the desk.
func (c *Client) Renew(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/renew"})
}

// ReturnLoan ends a loan: one of the caller's own, or at the desk. There
// [api.Loan.Hold] says for whom the copy is now set aside.
func (c *Client) ReturnLoan(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/return"})
}
