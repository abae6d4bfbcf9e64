package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"example.org/library/api"
)

// StocktakeFields describe a new stocktake.
type StocktakeFields struct {
	Name    string   `json:"name"`
	Shelves []string `json:"shelves,omitempty"` // none for all
}

// StartStocktake starts a stocktake.
func (c *Client) StartStocktake(ctx context.Context, f StocktakeFields) (api.Stocktake, error) {
	return ask[api.Stocktake](ctx, c, request{method: http.MethodPost, path: "/stocktakes", body: f})
}

// StocktakePages reads pages of stocktakes, the newest first.
func (c *Client) StocktakePages(ctx context.Context, limit int) iter.Seq2[Page[api.Stocktake], error] {
	return pages[api.Stocktake](ctx, c, "/stocktakes", url.Values{}, limit)
}

// Stocktake returns one stocktake.
func (c *Client) Stocktake(ctx context.Context, id string) (api.Stocktake, error) {
	return ask[api.Stocktake](ctx, c, request{method: http.MethodGet, path: stocktakePath(id)})
}

// ScanFields are codes, and identifiers of copies, in the hand of a person: 1 to 500 together.
type ScanFields struct {
	Codes  []string `json:"codes,omitempty"`
	Copies []string `json:"copies,omitempty"`
	Shelf  string   `json:"shelf,omitempty"` // before the person; "" if unknown
	Move   bool     `json:"move,omitempty"`  // copies of elsewhere belong to the shelf from now on
}

// ScanInStocktake records scans. Its answers are in the order of the codes, and then of the copies.
func (c *Client) ScanInStocktake(ctx context.Context, id string, f ScanFields) ([]api.Scan, error) {
	var answers []api.Scan
	_, err := c.do(ctx, request{method: http.MethodPost, path: stocktakePath(id) + "/scans", body: f}, maxPage, &answers)
	return answers, err
}

// StocktakeCopyPages reads pages of the copies with an outcome, but for api.OutcomeUnknown.
func (c *Client) StocktakeCopyPages(ctx context.Context, id, outcome string, limit int) iter.Seq2[Page[api.StocktakeCopy], error] {
	return pages[api.StocktakeCopy](ctx, c, stocktakePath(id)+"/copies", url.Values{"outcome": {outcome}}, limit)
}

// StocktakeQuery says which copies of a stocktake, or which codes, a spreadsheet has.
type StocktakeQuery struct{ Identifier, Outcome string }

// StocktakeCodePages reads pages of the scanned codes of no copy.
func (c *Client) StocktakeCodePages(ctx context.Context, id string, limit int) iter.Seq2[Page[api.StocktakeCode], error] {
	return pages[api.StocktakeCode](ctx, c, stocktakePath(id)+"/copies", url.Values{"outcome": {api.OutcomeUnknown}}, limit)
}

// CloseStocktake ends a stocktake. With markMissing, its remaining copies become missing.
func (c *Client) CloseStocktake(ctx context.Context, id string, markMissing bool) (api.Stocktake, error) {
	return ask[api.Stocktake](ctx, c, request{method: http.MethodPost, path: stocktakePath(id) + "/close", body: map[string]bool{"markMissing": markMissing}})
}

// DeleteStocktake deletes a stocktake.
func (c *Client) DeleteStocktake(ctx context.Context, id string) error {
	return c.remove(ctx, request{path: stocktakePath(id)})
}

func stocktakePath(id string) string { return "/stocktakes/" + url.PathEscape(id) }
