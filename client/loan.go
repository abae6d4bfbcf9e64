package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// LoanQuery selects loans. The zero query lists all open ones visible to the caller: readers see
// their own.
type LoanQuery struct {
	State  string // api.LoansOpen, api.LoansOverdue, api.LoansClaimed or api.LoansReturned; "" is open
	User   string // identifier
	Book   string // identifier
	Group  string // of the borrower, for staff; case does not matter
	From   string // of returned loans: the first day of the returns, in the form of api.DateLayout
	To     string // the last day
	Limit  int    // of one page, 1 to 1000; 0 is no limit
	Cursor string // Page.Next of the page before
}

func (q LoanQuery) values() url.Values {
	v := pageValues("", q.Limit, q.Cursor)
	set(v, "state", q.State)
	set(v, "user", q.User)
	set(v, "book", q.Book)
	set(v, "group", q.Group)
	set(v, "from", q.From)
	set(v, "to", q.To)
	return v
}

// Loans returns a page of loans, by due date; returned ones newest first.
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

// LoanFields describe a new loan. One of Book, Copy and Barcode is given.
type LoanFields struct {
	User    string `json:"user,omitempty"` // identifier, at the desk; "" for the caller
	Book    string `json:"book,omitempty"` // identifier; the service chooses the copy
	Copy    string `json:"copy,omitempty"` // identifier
	Barcode string `json:"barcode,omitempty"`

	// Swap lends a copy, at the desk, also if somebody else has it by the records: that loan moves
	// to a free copy of the book.
	Swap bool `json:"swap,omitempty"`

	// Several lends, at the desk, to somebody who may have other copies of the book.
	Several bool `json:"several,omitempty"`
}

// Lend lends to the caller, or to somebody at the desk.
func (c *Client) Lend(ctx context.Context, f LoanFields) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans", body: f})
}

// BatchFields describe copies to lend at once, at the desk. One of Group, Users and User is given, and one of
// Barcodes and Copies.
type BatchFields struct {
	Book     string   `json:"book,omitempty"`  // identifier of the only book; "" for any
	Group    string   `json:"group,omitempty"` // everybody in it, by last name
	Users    []string `json:"users,omitempty"` // identifiers, in order
	User     string   `json:"user,omitempty"`  // identifier; gets all copies, with Several
	Several  bool     `json:"several,omitempty"`
	Barcodes []string `json:"barcodes,omitempty"`
	Copies   []string `json:"copies,omitempty"` // identifiers
	DueAt    string   `json:"dueAt,omitempty"`  // a day, in the form of api.DateLayout, in place of the rules
	DryRun   bool     `json:"dryRun,omitempty"` // changes nothing
}

// LendBatch lends up to a hundred copies, each to the next person who may take one, or none of them.
func (c *Client) LendBatch(ctx context.Context, f BatchFields) (api.BatchLoans, error) {
	return ask[api.BatchLoans](ctx, c, request{method: http.MethodPost, path: "/loans/batch", body: f})
}

// ReturnBatchFields are copies that come back together.
type ReturnBatchFields struct {
	Barcodes []string `json:"barcodes"`
	Group    string   `json:"group,omitempty"` // swaps within it are put right
}

// ReturnBatch ends loans at the desk. Each copy has an answer of its own.
func (c *Client) ReturnBatch(ctx context.Context, f ReturnBatchFields) ([]api.BatchReturn, error) {
	var answers []api.BatchReturn
	_, err := c.do(ctx, request{method: http.MethodPost, path: "/returns/batch", body: f}, maxPage, &answers)
	return answers, err
}

// Renew renews a loan: one of the caller's own, or at the desk.
func (c *Client) Renew(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/renew"})
}

// ReturnLoan ends a loan: one of the caller's own, or at the desk. There [api.Loan.Hold] names the
// person for the copy, if it is now set aside.
func (c *Client) ReturnLoan(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/return"})
}

// ReturnClaimed ends a claimed loan as of its claim, at the desk.
func (c *Client) ReturnClaimed(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/return", body: ReturnFields{AsClaimed: true}})
}

// ClaimLoan records at the desk that the borrower says to have brought the copy back.
func (c *Client) ClaimLoan(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/claim"})
}

// UnclaimLoan takes a claim back.
func (c *Client) UnclaimLoan(ctx context.Context, id string) error {
	return c.remove(ctx, request{path: "/loans/" + url.PathEscape(id) + "/claim"})
}

// LoseLoan ends a loan of a lost copy, at the desk.
func (c *Client) LoseLoan(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/lost"})
}

// UndoReturn opens a loan again as it was before its return, at the desk and within ten minutes.
func (c *Client) UndoReturn(ctx context.Context, id string) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodDelete, path: "/loans/" + url.PathEscape(id) + "/return"})
}

// ReturnFields describe a copy that comes back. One of Copy and Barcode is given.
type ReturnFields struct {
	Copy    string `json:"copy,omitempty"` // identifier
	Barcode string `json:"barcode,omitempty"`
	Loan    string `json:"loan,omitempty"` // at the desk, identifier of the loan to end with it; "" for the copy's own

	AsClaimed bool `json:"asClaimed,omitempty"` // at the desk: a claimed loan ends as of its claim
}

// ReturnCopy ends a loan with the copy in somebody's hand: the caller's own, or any at the desk. A
// reader can bring another copy of the book than the records say; then [api.Loan.Swapped] is true.
// At the desk, the [Error] for a copy that nobody has by the records names its Candidates.
func (c *Client) ReturnCopy(ctx context.Context, f ReturnFields) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/returns", body: f})
}

// MoveFields describe the copy to which a loan moves. One of Copy and Barcode is given.
type MoveFields struct {
	Copy    string `json:"copy,omitempty"` // identifier
	Barcode string `json:"barcode,omitempty"`
	Swap    bool   `json:"swap,omitempty"` // exchange the copies of two loans, if somebody has it
}

// MoveLoan gives a loan another copy of its book, at the desk. Its person and dates stay.
func (c *Client) MoveLoan(ctx context.Context, id string, to MoveFields) (api.Loan, error) {
	return ask[api.Loan](ctx, c, request{method: http.MethodPost, path: "/loans/" + url.PathEscape(id) + "/move", body: to})
}

// HoldQuery selects holds. The zero query lists all active ones visible to the caller: readers see
// their own.
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

// PlaceHold puts the caller into the queue of a book without available copies.
func (c *Client) PlaceHold(ctx context.Context, bookID string) (api.Hold, error) {
	return ask[api.Hold](ctx, c, request{method: http.MethodPost, path: "/books/" + url.PathEscape(bookID) + "/holds"})
}

// PlaceHoldFor puts a user into the queue of a book, at the desk.
func (c *Client) PlaceHoldFor(ctx context.Context, bookID, userID string) (api.Hold, error) {
	body := map[string]string{"user": userID}
	return ask[api.Hold](ctx, c, request{method: http.MethodPost, path: "/books/" + url.PathEscape(bookID) + "/holds", body: body})
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
