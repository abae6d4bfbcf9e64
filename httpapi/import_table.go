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
	"example.org/library/userfile"
)

// A file may come in parts, each in a request of its own with the heading in
// front. The answer says where the next part begins, so that nobody but
// package table has to know where a record ends.
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

// tableSource is the rows of a CSV file. Read returns a row, and how it was understood.
type tableSource[R any] struct {
	*table.Reader
	read func() (R, api.ImportResult, error)
}

// importTable imports the rows of a CSV file, or of a part of one.
func importTable[R any](x *exchange, p tablePart, kind importKind[R], how library.ImportOptions) error {
	body, err := x.read()
	if err != nil {
		return err
	}
	t, err := readTable(body, p, kind)
	if err != nil {
		return err
	}
	if len(t.rows) == 0 {
		return x.respond(http.StatusOK, t.answer)
	}
	return importRows(x, t.rows, kind, how, func(results []library.ImportResult) reply {
		for i, r := range results {
			understood := t.answer.Results[i]
			t.answer.Results[i] = wireImportResult(r)
			t.answer.Results[i].Line, t.answer.Results[i].Book, t.answer.Results[i].User = understood.Line, understood.Book, understood.User
		}
		return done(t.answer)
	})
}

// tableRows is the rows of a body, and the answer that waits for their outcomes.
type tableRows[R any] struct {
	rows   []R
	answer api.TableImport
}

func readTable[R any](body []byte, p tablePart, kind importKind[R]) (tableRows[R], error) {
	t := tableRows[R]{answer: api.TableImport{Results: []api.ImportResult{}}}
	file, err := kind.open(bytes.NewReader(body), table.Options{
		Format: table.CSV, Charset: p.charset, Partial: p.part == partMore, Line: p.line,
	})
	if err != nil {
		return t, unreadable(err)
	}
	isMore := p.part == partMore
	offset, line := file.Next()
	for {
		row, understood, err := file.read()
		if errors.Is(err, io.EOF) {
			offset, line = file.Next()
			break
		}
		if len(t.rows) == library.MaxImport {
			if isMore = true; p.part == "" {
				return t, kind.size
			}
			break
		}
		if err := t.add(row, understood, err, kind); err != nil {
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
func (t *tableRows[R]) add(row R, understood api.ImportResult, err error, kind importKind[R]) error {
	var bad *table.RowError
	switch {
	case errors.As(err, &bad):
		row = kind.invalid(&library.Error{Kind: library.Invalid, Code: bad.Code, Message: "The row " + bad.Reason + "."})
		understood = api.ImportResult{Line: bad.Line}
	case err != nil:
		return unreadable(err)
	}
	t.rows, t.answer.Results = append(t.rows, row), append(t.answer.Results, understood)
	return nil
}

// unreadable is the answer to a file that is no table of what is imported.
func unreadable(err error) error {
	code := codeFileHeading
	var file *table.FileError
	var noColumn *table.NoColumnError
	var noTitle *bookfile.NoTitleError
	var noPeople *userfile.NoPeopleError
	switch {
	case errors.As(err, &file):
		code = file.Code
	case errors.As(err, &noColumn):
		code = codeFileNoColumn
	case errors.As(err, &noTitle):
		code = codeFileNoTitle
	case errors.As(err, &noPeople):
		code = codeFileNoPeople
	}
	text := err.Error()
	return badRequest(code, strings.ToUpper(text[:1])+text[1:]+".")
}
