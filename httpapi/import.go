package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/strictjson"
	"example.org/library/internal/table"
)

// importKind is an import of books, or of people: R is a row as the domain takes it.
type importKind[R any] struct {
	noun    string
	fields  func(members map[string]json.RawMessage) R // of an element of a JSON array
	invalid func(err error) R                          // a row that is none
	size    *library.Error                             // the answer to too many rows
	media   *problem                                   // the answer to another content type
	formats map[string]table.Format                    // of files that are no tables, by content type
	open    func(in io.Reader, o table.Options) (fileSource[R], error)
	run     func(ctx context.Context, a library.Actor, rows []R, how library.ImportOptions) ([]library.ImportResult, error)
}

// serveImport imports what the body has, as JSON or as a file. In is the rest of the query:
// what is particular to the kind has been taken from it.
func serveImport[R any](x *exchange, in *input.Query, kind importKind[R]) error {
	how := library.ImportOptions{Update: in.Flag("update"), DryRun: in.Flag("dryRun")}
	part, wrongCharset := fileOf(x.r.Header, kind.formats)
	if part.isFile() {
		part.read(in)
	}
	if err := cmp.Or(in.Err(), wrongCharset); err != nil {
		return err
	}
	if part.isFile() {
		return importFile(x, part, kind, how)
	}
	rows, err := importedRows(x, kind)
	if err != nil {
		return err
	}
	return importRows(x, rows, kind, how, func(results []library.ImportResult) reply {
		return done(each(results, wireImportResult))
	})
}

func importRows[R any](x *exchange, rows []R, kind importKind[R], how library.ImportOptions, render func([]library.ImportResult) reply) error {
	return change(x, func(ctx context.Context) ([]library.ImportResult, error) {
		return kind.run(ctx, x.actor, rows, how)
	}, render)
}

// importedRows reads the JSON array in the request's body. What is wrong with one
// of its elements is said in the answer, in the place of that element.
func importedRows[R any](x *exchange, kind importKind[R]) ([]R, error) {
	if !isJSON(x.r.Header) {
		return nil, kind.media
	}
	body, err := x.read()
	if err != nil {
		return nil, err
	}
	elements, err := strictjson.Array(body, library.MaxImport)
	if err != nil {
		return nil, malformed(err)
	}
	return each(elements, func(element json.RawMessage) R {
		members, err := strictjson.Object(element)
		if err != nil {
			return kind.invalid(malformedRow(err, kind.noun))
		}
		return kind.fields(members)
	}), nil
}

// malformedRow is malformed for an element that is no object, or one that two
// readers could understand differently.
func malformedRow(err error, noun string) error {
	bad := *library.ErrInvalid
	duplicate, isDuplicate := errors.AsType[*strictjson.DuplicateError](err)
	switch {
	case isDuplicate:
		return library.InvalidFields(input.DuplicateMember(duplicate))
	case errors.Is(err, strictjson.ErrNotObject):
		bad.Message = "A " + noun + " must be a JSON object."
	case errors.Is(err, strictjson.ErrTooDeep):
		bad.Message = "The " + noun + " is nested too deeply."
	default:
		bad.Message = "The " + noun + " has an escape in it that stands for no character."
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
