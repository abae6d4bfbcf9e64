package lookup

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/bookfile"
	"example.org/library/internal/isbn"
	"example.org/library/internal/marc"
)

// sru is a server of SRU 1.1 with MARCXML.
type sru struct {
	address *url.URL
	index   string // the search key for an ISBN
	schema  string // its name of MARCXML
}

// maxRecords limits the records of an answer: several editions may have the same ISBN.
const maxRecords = 10

func (s sru) find(ctx context.Context, web *web, key string) (library.BookFields, bool, error) {
	status, body, err := web.get(ctx, s.query(key), "application/xml, text/xml")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return library.BookFields{}, false, err
	}
	if err := checkResponse(body); err != nil {
		return library.BookFields{}, false, err
	}
	return bookOf(body, key)
}

// query asks for both compact forms, since servers compare text.
func (s sru) query(key string) string {
	var terms []string
	for _, form := range compactForms(key) {
		terms = append(terms, s.index+"="+form)
	}
	u := *s.address
	u.RawQuery = url.Values{
		"version": {"1.1"}, "operation": {"searchRetrieve"}, "query": {strings.Join(terms, " or ")},
		"maximumRecords": {strconv.Itoa(maxRecords)}, "recordSchema": {s.schema}, "recordPacking": {"xml"},
	}.Encode()
	return u.String()
}

// compactForms are the ISBN with 13 digits and with 10, if it has such a form.
func compactForms(key string) []string {
	forms := []string{key}
	for _, form := range isbn.Forms(key) {
		if compact := isbn.Compact(form); len(compact) == 10 && isbn.Same(compact, key) {
			return append(forms, compact)
		}
	}
	return forms
}

// maxDepth is how deep the elements of a response may be; SRU with MARCXML needs seven.
const maxDepth = 32

var (
	errNotSRU  = errors.New("the answer is not that of an SRU server")
	errDoctype = errors.New("the answer has a document type")
	errDeep    = errors.New("the answer is nested too deeply")
)

// checkResponse says why a response is none. A diagnostic is a failure, also beside records. The
// decoder knows no entities but the five of XML, and opens nothing.
func checkResponse(body []byte) error {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.CharsetReader = marc.CharsetReader
	depth, isResponse, expected, records := 0, false, 0, 0
	var in string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errNotSRU
		}
		switch t := token.(type) {
		case xml.Directive:
			return errDoctype
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return errDeep
			}
			in = t.Name.Local
			switch {
			case depth == 1:
				isResponse = in == "searchRetrieveResponse"
			case in == "diagnostic":
				return errors.New("the answer has a diagnostic")
			case in == "recordData":
				records++
			}
		case xml.EndElement:
			depth, in = depth-1, ""
		case xml.CharData:
			if in == "numberOfRecords" && depth == 2 {
				expected, _ = strconv.Atoi(strings.TrimSpace(string(t)))
			}
		}
	}
	if !isResponse || expected > 0 && records == 0 {
		return errNotSRU
	}
	return nil
}

// bookOf returns the first record with the ISBN.
func bookOf(body []byte, key string) (library.BookFields, bool, error) {
	records := marc.NewReader(bytes.NewReader(body), marc.Options{Format: marc.XML})
	var broken error
	for {
		record, err := records.Read()
		if _, isBroken := errors.AsType[*marc.BrokenError](err); isBroken {
			broken = err
			continue
		}
		if errors.Is(err, io.EOF) {
			return library.BookFields{}, false, broken
		}
		if err != nil {
			return library.BookFields{}, false, err
		}
		if hasISBN(record, key) {
			if book := ofRecord(record); book.Title != "" {
				return book, true, nil
			}
		}
	}
}

// hasISBN reports whether a record is about an ISBN, in either form.
func hasISBN(record marc.Record, key string) bool {
	for number := range bookfile.ISBNsOfMARC(record) {
		if isbn.Same(number, key) {
			return true
		}
	}
	return false
}
