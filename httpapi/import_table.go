package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/table"
	"example.org/library/internal/validation"
)

// A file may come in parts, each in a request of its own with the heading in
// front. The answer says where the next part begins, so that nobody but
// bookfile has to know where a record ends.
const (
	partMore = "more" // the file goes on after the body
	partLast = "last" // the file ends with the body

	maxLine = 1 << 30
)

// tablePart is what a request says of the piece of a file that is its body.
type tablePart struct {
	part    string // "" if the body is the whole file
	line    int    // of the first row, 0 if it follows the heading
	charset table.Charset
}

func (q *query) tablePart() (p tablePart) {
	if value, given := q.take("part"); given {
		if p.part = value; value != partMore && value != partLast {
			q.complain("part", validation.CodeUnknownValue, "must be more or last")
		}
	}
	p.line = q.number("line", maxLine)
	return p
}

// csvCharset reports whether a body says that it is CSV, and in which charset,
// "" if it does not say.
func csvCharset(h http.Header) (charset table.Charset, isCSV bool, err error) {
	media, params := mediaType(h)
	if media != "text/csv" {
		return "", false, nil
	}
	name, given := params["charset"]
	if !given {
		return "", true, nil
	}
	charset, known := table.CharsetOf(name)
	if !known {
		return "", true, errCharset
	}
	return charset, true, nil
}

// importTable imports the books of a CSV file, or of a part of one.
func (s *Server) importTable(x *exchange, p tablePart, how library.ImportOptions) error {
	body, err := x.read()
	if err != nil {
		return err
	}
	t, err := readTable(body, p)
	if err != nil {
		return err
	}
	if len(t.rows) == 0 {
		return x.respond(http.StatusOK, t.answer)
	}
	return s.importRows(x, t.rows, how, func(results []library.ImportResult) reply {
		for i, r := range results {
			line, book := t.answer.Results[i].Line, t.answer.Results[i].Book
			t.answer.Results[i] = wireImportResult(r)
			t.answer.Results[i].Line, t.answer.Results[i].Book = line, book
		}
		return done(t.answer)
	})
}

// tableRows is the rows of a body, and the answer that waits for their outcomes.
type tableRows struct {
	rows   []library.ImportRow
	answer api.TableImport
}

func readTable(body []byte, p tablePart) (tableRows, error) {
	t := tableRows{answer: api.TableImport{Results: []api.ImportResult{}}}
	file, err := bookfile.NewReader(bytes.NewReader(body), bookfile.Options{
		Format: bookfile.CSV, Charset: p.charset, Partial: p.part == partMore, Line: p.line,
	})
	if err != nil {
		return t, unreadable(err)
	}
	isMore := p.part == partMore
	offset, line := file.Next()
	for {
		row, err := file.Read()
		if errors.Is(err, io.EOF) {
			offset, line = file.Next()
			break
		}
		if len(t.rows) == library.MaxImport {
			if isMore = true; p.part == "" {
				return t, library.ErrImportSize
			}
			break
		}
		if err := t.add(row, err); err != nil {
			return t, err
		}
		offset, line = file.Next()
	}
	if len(t.rows) == 0 && p.part == "" {
		return t, badRequest(codeFileNoRows, "There are no rows below the heading.")
	}
	if isMore {
		t.answer.Next = &api.NextPart{Heading: file.Heading(), Byte: offset, Line: line}
	}
	t.answer.Ignored, t.answer.Charset = file.Ignored(), string(file.Charset())
	return t, nil
}

// add adds a row, or one that could not be read.
func (t *tableRows) add(row bookfile.Row, err error) error {
	var bad *bookfile.RowError
	switch {
	case errors.As(err, &bad):
		invalid := &library.Error{Kind: library.Invalid, Code: bad.Code, Message: "The row " + bad.Reason + "."}
		t.rows = append(t.rows, library.ImportRow{Err: invalid})
		t.answer.Results = append(t.answer.Results, api.ImportResult{Line: bad.Line})
		return nil
	case err != nil:
		return unreadable(err)
	}
	book := rowBook(row.Book)
	t.rows = append(t.rows, tableRow(row.Book))
	t.answer.Results = append(t.answer.Results, api.ImportResult{Line: row.Line, Book: &book})
	return nil
}

// rowBook is how a row was understood.
func rowBook(b bookfile.Book) api.RowBook {
	return api.RowBook{Identifier: b.Identifier, RowFields: api.RowFields(b.BookFields), Copies: b.Copies, Barcodes: b.Barcodes, Shelf: b.Shelf}
}

func tableRow(b bookfile.Book) library.ImportRow {
	row := library.ImportRow{BookFields: library.BookFields(b.BookFields),
		ImportCopies: library.ImportCopies{Copies: b.Copies, Barcodes: b.Barcodes, Shelf: b.Shelf}}
	if b.Identifier == "" {
		return row
	}
	id, ok := library.ParseID(b.Identifier)
	if row.ID = id; !ok {
		in := fields{wrong: []library.Detail{notUUID("identifier")}}
		row.Err = in.err(row.Check())
	}
	return row
}

// unreadable is the answer to a file that is no table of books.
func unreadable(err error) error {
	code := codeFileHeading
	var file *bookfile.FileError
	var noTitle *bookfile.NoTitleError
	switch {
	case errors.As(err, &file):
		code = file.Code
	case errors.As(err, &noTitle):
		code = codeFileNoTitle
	}
	text := err.Error()
	return badRequest(code, strings.ToUpper(text[:1])+text[1:]+".")
}
