package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.org/library/api"
)

// Outcomes of a row of an import, in [api.ImportResult].
const (
	Added     = "added"
	Updated   = "updated"
	Unchanged = "unchanged" // the library has all of it already
	Differs   = "differs"   // the library says otherwise, and keeps that
	Invalid   = "invalid"
)

// MaxImport is how many books or people one import may have. Together they may have 1 MiB.
const MaxImport = 1000

// ImportOptions configure an import. The zero options add missing records and change nothing.
type ImportOptions struct {
	Update bool // replace what is different
	DryRun bool // judge only
	// SkipInactive leaves out inactive people unknown to the library.
	SkipInactive bool
}

// EncodedRow is an encoded row of an import, so that its size is known beforehand.
type EncodedRow []byte

// EncodeBook makes a book ready for [Client.ImportBooks].
func EncodeBook(b BookFields) EncodedRow { return encodeRow(b) }

// EncodeUser makes a person ready for [Client.ImportUsers].
func EncodeUser(u api.RowUser) EncodedRow { return encodeRow(u) }

func encodeRow(row any) EncodedRow {
	text, err := json.Marshal(row)
	if err != nil {
		panic(err) // texts can always be written
	}
	return text
}

// Incomplete describes the progress of an import broken off in the middle.
type Incomplete struct {
	Done     int            // how many of the first books are done
	Outcomes map[string]int // how many of these are Added, Updated and so on
	Unknown  int            // how many books after these may be done or not
}

// The members of the service's error about an import broken off.
const (
	codeIncomplete  = "import_incomplete"
	codeRowsDone    = "rows_done"
	codeRowsOutcome = "rows_outcome"
	codeRowsUnknown = "rows_unknown"
)

// ImportBrokeOff reports whether an import failed after some of its books were
// done. The same import again does the rest.
func ImportBrokeOff(err error) (Incomplete, bool) {
	in := Incomplete{Outcomes: map[string]int{}}
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != codeIncomplete {
		return in, false
	}
	for _, d := range refused.Details {
		switch d.Code {
		case codeRowsDone:
			in.Done = d.Limit
		case codeRowsOutcome:
			in.Outcomes[d.Field] = d.Limit
		case codeRowsUnknown:
			in.Unknown = d.Limit
		}
	}
	return in, true
}

// ImportBooks imports books and returns the outcome of each, in the same order. An empty field
// leaves the library's value. It is safe to repeat: an existing book is not added twice. See also
// [ImportBrokeOff].
func (c *Client) ImportBooks(ctx context.Context, books []EncodedRow, o ImportOptions) ([]api.ImportResult, error) {
	return c.importRows(ctx, "/imports/books", "book", books, o, url.Values{})
}

// ImportMARC is [Client.ImportBooks] for records of MARC 21, each encoded as ISO 2709 in UTF-8.
func (c *Client) ImportMARC(ctx context.Context, records []EncodedRow, o ImportOptions) ([]api.ImportResult, error) {
	var answer api.TableImport
	in := request{method: http.MethodPost, path: "/imports/books", query: o.query(url.Values{}), body: file{"application/marc", slices.Concat(records...)}}
	if _, err := c.do(ctx, in, maxPage, &answer); err != nil {
		return nil, err
	}
	return answer.Results, c.checkResults(len(answer.Results), len(records), "record")
}

func (c *Client) importRows(ctx context.Context, path, noun string, rows []EncodedRow, o ImportOptions, query url.Values) ([]api.ImportResult, error) {
	var results []api.ImportResult
	in := request{method: http.MethodPost, path: path, query: o.query(query), body: joinRows(rows)}
	if _, err := c.do(ctx, in, maxPage, &results); err != nil {
		return nil, err
	}
	return results, c.checkResults(len(results), len(rows), noun)
}

// query adds the options to a query.
func (o ImportOptions) query(query url.Values) url.Values {
	if o.Update {
		query.Set("update", "true")
	}
	if o.DryRun {
		query.Set("dryRun", "true")
	}
	return query
}

// checkResults refuses an answer with another number of results than rows.
func (c *Client) checkResults(results, rows int, noun string) error {
	if results != rows {
		return fmt.Errorf("what answers at %s does not say what became of each %s; check the address", c.base, noun)
	}
	return nil
}

// joinRows makes a JSON array of rows.
func joinRows(rows []EncodedRow) encoded {
	array := encoded{'['}
	for i, row := range rows {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, row...)
	}
	return append(array, ']')
}

// NewPeople are the defaults for added people of an import.
type NewPeople struct {
	Roles  []string
	Locale string // "" for the library's
}

// ImportUsers is [Client.ImportBooks] for people.
func (c *Client) ImportUsers(ctx context.Context, people []EncodedRow, o ImportOptions, added NewPeople) ([]api.ImportResult, error) {
	query := url.Values{}
	set(query, "roles", strings.Join(added.Roles, ","))
	set(query, "locale", added.Locale)
	if o.SkipInactive {
		query.Set("skipInactive", "true")
	}
	return c.importRows(ctx, "/imports/users", "person", people, o, query)
}
