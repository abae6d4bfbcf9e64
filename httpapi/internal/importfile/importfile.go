// Package importfile reads the files of imports: tables and MARC records, whole or in parts, as rows of the domain.
// Packages bookfile and userfile know the columns; this one knows the parts of a file in requests, and the answers.
//
// Start reading at [Read].
package importfile

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/table"
	"example.org/library/internal/validation"
	"example.org/library/userfile"
)

// A file may come in parts, each in a request of its own with the heading in front. The answer has the beginning of the
// next part, so that package table alone has to know the end of a record.
const (
	partMore = "more" // the file goes on after the body
	partLast = "last" // the file ends with the body

	maxLine = 1 << 30
)

// Codes of unreadable files.
const (
	codeFileHeading  = "file_heading"
	codeFileNoColumn = "file_no_column"
	codeFileNoRows   = "file_no_rows"
	codeFileNoTitle  = "file_no_title"
	codeFileNoPeople = "file_no_people"
)

// Part describes the body of a request as a piece of a file.
type Part struct {
	format  table.Format // "" if the body is no file
	part    string       // "" if the body is the whole file
	first   int          // line or number of the first row, 0 if the file begins here
	charset table.Charset
}

// IsFile reports whether the body is a file.
func (p Part) IsFile() bool { return p.format != "" }

// isTable reports whether the file has lines. In others, records are counted.
func (p Part) isTable() bool { return p.format == table.CSV }

// at is where a row is.
func (p Part) at(place int) api.ImportResult {
	if p.isTable() {
		return api.ImportResult{Line: place}
	}
	return api.ImportResult{Record: place}
}

func (p Part) next(heading, offset, place int) *api.NextPart {
	at := p.at(place)
	return &api.NextPart{Heading: heading, Byte: offset, Line: at.Line, Record: at.Record}
}

// Read reads the parameters of the part from a query.
func (p *Part) Read(q *input.Query) {
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

// PartOf returns the kind of a file by its media type: CSV, perhaps with a charset, or
// another of some formats. It reports false for an unknown charset.
func PartOf(media string, params map[string]string, formats map[string]table.Format) (p Part, known bool) {
	if p.format = formats[media]; media != "text/csv" {
		return p, true
	}
	p.format = table.CSV
	name, given := params["charset"]
	if !given {
		return p, true
	}
	p.charset, known = table.CharsetOf(name)
	return p, known
}

// Kind is the files of books, or of people: R is a row as the domain takes it.
type Kind[R any] struct {
	Formats map[string]table.Format // of files other than tables, by content type
	Invalid func(err error) R       // an unreadable row
	size    *library.Error          // the answer to too many rows
	open    func(in io.Reader, o table.Options) (source[R], error)
}

// source is the rows of a file. Read returns a row, and how it was understood.
type source[R any] struct {
	file interface {
		Next() (offset, place int)
		Heading() int
		Ignored() []string
		Charset() table.Charset
	}
	read func() (R, api.ImportResult, error)
}

// File is the rows of a body, and the answer before their outcomes.
type File[R any] struct {
	Rows   []R
	Answer api.TableImport
}

// Completed is the answer with the outcomes of the rows. It may be made several times.
func (t File[R]) Completed(outcomes []api.ImportResult) api.TableImport {
	answer := t.Answer
	answer.Results = make([]api.ImportResult, len(outcomes))
	for i, out := range outcomes {
		understood := t.Answer.Results[i]
		out.Line, out.Record, out.Book, out.User = understood.Line, understood.Record, understood.Book, understood.User
		out.Warnings = append(out.Warnings, understood.Warnings...)
		answer.Results[i] = out
	}
	return answer
}

// Read reads a file, or a part of one.
func Read[R any](body []byte, p Part, kind Kind[R]) (File[R], error) {
	t := File[R]{Answer: api.TableImport{Results: []api.ImportResult{}}}
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
		if len(t.Rows) == library.MaxImport {
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
	if len(t.Rows) == 0 && p.part == "" {
		return t, noRows(p)
	}
	if isMore {
		t.Answer.Next = p.next(in.file.Heading(), offset, place)
	}
	t.Answer.Ignored, t.Answer.Charset = in.file.Ignored(), string(in.file.Charset())
	return t, nil
}

func noRows(p Part) error {
	if p.isTable() {
		return &input.Error{Code: codeFileNoRows, Message: "There are no rows below the heading."}
	}
	return &input.Error{Code: codeFileNoRows, Message: "There are no MARC records in the file."}
}

// add adds a row, readable or not.
func (t *File[R]) add(p Part, row R, understood api.ImportResult, err error, kind Kind[R]) error {
	var bad *table.RowError
	switch {
	case errors.As(err, &bad):
		noun := "row"
		if !p.isTable() {
			noun = "record"
		}
		row = kind.Invalid(&library.Error{Kind: library.Invalid, Code: bad.Code, Message: "The " + noun + " " + bad.Reason + "."})
		user := understood.User // the name is known although the row is wrong
		understood = p.at(bad.Line)
		understood.User = user
	case err != nil:
		return unreadable(err)
	}
	t.Rows, t.Answer.Results = append(t.Rows, row), append(t.Answer.Results, understood)
	return nil
}

// unreadable returns the answer to a file without a table of this kind.
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
	return &input.Error{Code: code, Message: strings.ToUpper(text[:1]) + text[1:] + "."}
}
