package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/importfile"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/strictjson"
)

// importKind is an import of books, or of people: R is a row as the domain takes it.
type importKind[R any] struct {
	importfile.Kind[R]
	noun   string
	fields func(members map[string]json.RawMessage) R // of an element of a JSON array
	media  *problem                                   // the answer to another content type
	run    func(ctx context.Context, a library.Actor, rows []R, how library.ImportOptions) ([]library.ImportResult, error)
}

// serveImport imports the body, JSON or a file. In is the rest of the query, without the
// parameters of the kind.
func serveImport[R any](x *exchange, in *input.Query, kind importKind[R]) error {
	how := library.ImportOptions{Update: in.Flag("update"), DryRun: in.Flag("dryRun")}
	media, params := mediaType(x.r.Header)
	part, isKnown := importfile.PartOf(media, params, kind.Formats)
	if part.IsFile() {
		part.Read(in)
	}
	if err := in.Err(); err != nil {
		return err
	}
	if !isKnown {
		return errCharset
	}
	if part.IsFile() {
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

// importFile imports the rows of a file, or of a part of one.
func importFile[R any](x *exchange, p importfile.Part, kind importKind[R], how library.ImportOptions) error {
	body, err := x.read()
	if err != nil {
		return err
	}
	file, err := importfile.Read(body, p, kind.Kind)
	if err != nil {
		return err
	}
	if len(file.Rows) == 0 {
		return x.respond(http.StatusOK, file.Answer)
	}
	return importRows(x, file.Rows, kind, how, func(results []library.ImportResult) reply {
		return done(file.Completed(each(results, wireImportResult)))
	})
}

func importRows[R any](x *exchange, rows []R, kind importKind[R], how library.ImportOptions, render func([]library.ImportResult) reply) error {
	return change(x, func(ctx context.Context) ([]library.ImportResult, error) {
		return kind.run(ctx, x.actor, rows, how)
	}, render)
}

// importedRows reads the JSON array in the request's body. The answer has
// the mistakes of an element in its place.
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
			return kind.Invalid(malformedRow(err, kind.noun))
		}
		return kind.fields(members)
	}), nil
}

// malformedRow returns the error for an element with more than one reading, or of another
// kind than an object.
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
		out.Message = strings.TrimSuffix(out.Message, ".") + "; send update=true to replace it."
	}
	return out
}
