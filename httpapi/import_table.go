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
	"example.org/library/httpapi/internal/input"
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

// filePart is what a request says of the piece of a file that is its body.
type filePart struct {
	format  table.Format // "" if the body is no file
	part    string       // "" if the body is the whole file
	first   int          // line or number of the first row, 0 if the file begins here
	charset table.Charset
}

func (p filePart) isFile() bool { return p.format != "" }

// isTable reports whether the file has lines. Others have records, which are counted.
func (p filePart) isTable() bool { return p.format == table.CSV }

// at is where a row is.
func (p filePart) at(place int) api.ImportResult {
	if p.isTable() {
		return api.ImportResult{Line: place}
	}
	return api.ImportResult{Record: place}
}

func (p filePart) next(heading, offset, place int) *api.NextPart {
	at := p.at(place)
	return &api.NextPart{Heading: heading, Byte: offset, Line: at.Line, Record: at.Record}
}

// read takes from a query which part of a file the body is.
func (p *filePart) read(q *input.Query) {
	if value, given := q.Take("part"); given {
		if p.part = value; value != partMore && value != partLast {
			q.Refuse(library.Detail{Field: "part", Code: validation.CodeUnknownValue, Message: "must be more or last"})
		}
	}
	if p.isTable() {
		p.first = q.Number("line", maxLine)
	} else {
		p.first = q.Number("record", maxLine)
	}
}

// fileOf says what kind of file a body says that it is: CSV, in a charset that it may
// name, or another of some formats.
func fileOf(h http.Header, formats map[string]table.Format) (p filePart, err error) {
	media, params := mediaType(h)
	if p.format = formats[media]; media != "text/csv" {
		return p, nil
	}
	p.format = table.CSV
	name, given := params["charset"]
	if !given {
		return p, nil
	}
	charset, known := table.CharsetOf(name)
	if p.charset = charset; !known {
		return p, errCharset
	}
	return p, nil
}

// fileSource is the rows of a file. Read returns a row, and how it was understood.
type fileSource[R any] struct {
	file interface {
		Next() (offset, place int)
		Heading() int
		Ignored() []string
		Charset() table.Charset
	}
	read func() (R, api.ImportResult, error)
}

// importFile imports the rows of a file, or of a part of one.
func importFile[R any](x *exchange, p filePart, kind importKind[R], how library.ImportOptions) error {
	body, err := x.read()
	if err != nil {
		return err
	}
	t, err := readFile(body, p, kind)
	if err != nil {
		return err
	}
	if len(t.rows) == 0 {
		return x.respond(http.StatusOK, t.answer)
	}
	return importRows(x, t.rows, kind, how, func(results []library.ImportResult) reply {
		for i, r := range results {
			out, understood := wireImportResult(r), t.answer.Results[i]
			out.Line, out.Record, out.Book, out.User = understood.Line, understood.Record, understood.Book, understood.User
			out.Warnings = append(out.Warnings, understood.Warnings...)
			t.answer.Results[i] = out
		}
		return done(t.answer)
	})
}

// fileRows is the rows of a body, and the answer that waits for their outcomes.
type fileRows[R any] struct {
	rows   []R
	answer api.TableImport
}

func readFile[R any](body []byte, p filePart, kind importKind[R]) (fileRows[R], error) {
	t := fileRows[R]{answer: api.TableImport{Results: []api.ImportResult{}}}
	in, err := kind.open(bytes.NewReader(body), table.Options{
		Format: p.format, Charset: p.charset, Partial: p.part == partMore, Line: p.first,
	})
	if err != nil {
		return t, unreadable(err)
	}
	isMore := p.part == partMore
	offset, place := in.file.Next()
	for {
		row, understood, err := in.read()
		if errors.Is(err, io.EOF) {
			offset, place = in.file.Next()
			break
		}
		if len(t.rows) == library.MaxImport {
			if isMore = true; p.part == "" {
				return t, kind.size
			}
			break
		}
		if err := t.add(p, row, understood, err, kind); err != nil {
			return t, err
		}
		offset, place = in.file.Next()
	}
	if len(t.rows) == 0 && p.part == "" {
		return t, noRows(p)
	}
	if isMore {
		t.answer.Next = p.next(in.file.Heading(), offset, place)
	}
	t.answer.Ignored, t.answer.Charset = in.file.Ignored(), string(in.file.Charset())
	return t, nil
}

func noRows(p filePart) error {
	if p.isTable() {
		return badRequest(codeFileNoRows, "There are no rows below the heading.")
	}
	return badRequest(codeFileNoRows, "There are no MARC records in the file.")
}

// add adds a row, or one that could not be read.
func (t *fileRows[R]) add(p filePart, row R, understood api.ImportResult, err error, kind importKind[R]) error {
	var bad *table.RowError
	switch {
	case errors.As(err, &bad):
		noun := "row"
		if !p.isTable() {
			noun = "record"
		}
		row = kind.invalid(&library.Error{Kind: library.Invalid, Code: bad.Code, Message: "The " + noun + " " + bad.Reason + "."})
		understood = p.at(bad.Line)
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
