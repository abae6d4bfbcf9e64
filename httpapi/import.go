package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/strictjson"
)

func (s *Server) importBooks(x *exchange) error {
	in := x.query()
	how := library.ImportOptions{Update: in.flag("update"), DryRun: in.flag("dryRun")}
	charset, isCSV, wrongCharset := csvCharset(x.r.Header)
	var part tablePart
	if isCSV {
		part = in.tablePart()
		part.charset = charset
	}
	if err := cmp.Or(in.err(), wrongCharset); err != nil {
		return err
	}
	if isCSV {
		return s.importTable(x, part, how)
	}
	rows, err := x.rows()
	if err != nil {
		return err
	}
	return s.importRows(x, rows, how, func(results []library.ImportResult) reply {
		return done(each(results, wireImportResult))
	})
}

func (s *Server) importRows(x *exchange, rows []library.ImportRow, how library.ImportOptions, render func([]library.ImportResult) reply) error {
	return change(x, func(ctx context.Context) ([]library.ImportResult, error) {
		return s.service.ImportBooks(ctx, x.actor, rows, how)
	}, render)
}

// rows reads the JSON array in the request's body. What is wrong with one
// of its elements is said in the answer, in the place of that element.
func (x *exchange) rows() ([]library.ImportRow, error) {
	if !isJSON(x.r.Header) {
		return nil, errNotBooks
	}
	body, err := x.read()
	if err != nil {
		return nil, err
	}
	elements, err := strictjson.Array(body, library.MaxImport)
	if err != nil {
		return nil, malformed(err)
	}
	return each(elements, importRow), nil
}

func importRow(element json.RawMessage) library.ImportRow {
	members, err := strictjson.Object(element)
	if err != nil {
		return library.ImportRow{Err: malformedRow(err)}
	}
	in := fields{members: members}
	row := library.ImportRow{ID: in.identifier(), BookFields: bookFields(&in), ImportCopies: importCopies(&in)}
	if len(in.wrong) > 0 { // otherwise the import checks the fields, once
		row.Err = in.err(row.Check())
	}
	return row
}

func importCopies(in *fields) library.ImportCopies {
	out := library.ImportCopies{Barcodes: in.texts("barcode"), Shelf: in.text("shelf")}
	if in.has("copies") {
		out.Copies = new(in.integer("copies", 0))
	}
	return out
}

// malformedRow is malformed for an element that is no object, or one that two
// readers could understand differently.
func malformedRow(err error) error {
	bad := *library.ErrInvalid
	duplicate, isDuplicate := errors.AsType[*strictjson.DuplicateError](err)
	switch {
	case isDuplicate:
		return library.InvalidFields(duplicateMember(duplicate))
	case errors.Is(err, strictjson.ErrNotObject):
		bad.Message = "A book must be a JSON object."
	case errors.Is(err, strictjson.ErrTooDeep):
		bad.Message = "The book is nested too deeply."
	default:
		bad.Message = "The book has an escape in it that stands for no character."
	}
	return &bad
}

func wireImportResult(r library.ImportResult) api.ImportResult {
	out := api.ImportResult{Outcome: string(r.Outcome), Identifier: r.ID}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, api.Warning(w))
	}
	if r.Err != nil {
		out.Message, out.Code, out.Details = r.Err.Message, r.Err.Code, wireDetails(r.Err.Details)
	}
	if r.Replaceable {
		out.Message = strings.TrimSuffix(out.Message, ".") + "; send update=true to replace that."
	}
	return out
}
