package client

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ExportOptions say what kind of file an export is.
type ExportOptions struct {
	Format      string // csv, json, marc or marcxml
	Spreadsheet bool   // CSV for people, in which no cell is a formula
}

// Export is a file of records on its way. Reading it ends with io.EOF only if it is whole.
type Export struct {
	Total   int  // the number of records
	AtLeast bool // there are more than Total

	body    io.ReadCloser
	cancel  context.CancelFunc
	stalled *time.Timer // cancels when nothing comes
	timeout time.Duration
}

func (e *Export) Read(p []byte) (int, error) {
	n, err := e.body.Read(p)
	e.stalled.Reset(e.timeout)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the library service has ended the file before it was whole: %w", err)
	}
	return n, err
}

// Close ends the export.
func (e *Export) Close() error {
	e.stalled.Stop()
	e.cancel()
	return e.body.Close()
}

// ExportBooks begins to read the books of a query as a file. The order is that in which they were
// added. The caller must close it.
func (c *Client) ExportBooks(ctx context.Context, q BookQuery, o ExportOptions) (*Export, error) {
	return c.export(ctx, "/exports/books", q.values(), o)
}

// ExportUsers is [Client.ExportBooks] for users, as CSV or JSON.
func (c *Client) ExportUsers(ctx context.Context, q UserQuery, o ExportOptions) (*Export, error) {
	return c.export(ctx, "/exports/users", q.values(), o)
}

// SheetQuery is a query of a list that can be a spreadsheet: of loans, holds, users, copies, copies of a stocktake, or
// periods of the statistics.
type SheetQuery interface {
	sheet() (path string, query url.Values)
}

func (q LoanQuery) sheet() (string, url.Values)       { return "/loans", q.values() }
func (q HoldQuery) sheet() (string, url.Values)       { return "/holds", q.values() }
func (q UserQuery) sheet() (string, url.Values)       { return "/users", q.values() }
func (q CopyQuery) sheet() (string, url.Values)       { return "/copies", q.values() }
func (q StatisticsQuery) sheet() (string, url.Values) { return "/statistics", q.values() }
func (q StocktakeQuery) sheet() (string, url.Values) {
	return stocktakePath(q.Identifier) + "/copies", url.Values{"outcome": {q.Outcome}}
}

// Spreadsheet begins to read the whole list of a query as CSV for spreadsheets. The caller must close it.
func (c *Client) Spreadsheet(ctx context.Context, q SheetQuery) (*Export, error) {
	path, query := q.sheet()
	query.Del("limit")
	query.Del("cursor")
	return c.export(ctx, path, query, ExportOptions{Format: "csv"})
}

// exportMedia is the media type of each format.
var exportMedia = map[string]string{"csv": "text/csv", "json": "application/json", "marc": "application/marc", "marcxml": "application/marcxml+xml"}

func (c *Client) export(ctx context.Context, path string, query url.Values, o ExportOptions) (*Export, error) {
	set(query, "format", o.Format)
	if o.Spreadsheet {
		query.Set("spreadsheet", "true")
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &Export{cancel: cancel, stalled: time.AfterFunc(c.timeout, cancel), timeout: c.timeout}
	resp, err := c.Do(ctx, Call{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		e.stalled.Stop()
		cancel()
		return nil, err
	}
	e.body = resp.Body
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	total, noTotal := strconv.Atoi(resp.Header.Get("X-Total-Count"))
	switch {
	case resp.StatusCode != http.StatusOK:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRecord))
		err = readError(resp, body)
	case err != nil || noTotal != nil || kind != exportMedia[o.Format]:
		err = fmt.Errorf("what answers at %s is not the library service; check the address, with its path", c.base)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	e.Total, e.AtLeast = total, resp.Header.Get("X-Total-Count-Exact") == "false"
	return e, nil
}
