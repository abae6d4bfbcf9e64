package httpapi

import (
	"context"
	"encoding/json"

	"example.org/library"
	"example.org/library/bookimport"
	"example.org/library/httpapi/internal/importfile"
	"example.org/library/httpapi/internal/input"
)

func (s *Server) importBooks(x *exchange) error {
	return serveImport(x, x.query(), importKind[bookimport.Row]{
		Kind: importfile.Books(), noun: "book", fields: importRow, media: errNotBooks,
		run: func(ctx context.Context, a library.Actor, rows []bookimport.Row, how library.ImportOptions) ([]library.ImportResult, error) {
			return bookimport.Run(ctx, s.service, a, rows, how)
		},
	})
}

func importRow(members map[string]json.RawMessage) bookimport.Row {
	in := input.NewFields(members)
	row := bookimport.Row{ID: in.Identifier(), BookFields: bookFields(&in), RowCopies: importCopies(&in)}
	if in.IsWrong() { // otherwise the import checks the fields, once
		row.Err = in.Err(row.Check())
	}
	return row
}

func importCopies(in *input.Fields) bookimport.RowCopies {
	out := bookimport.RowCopies{Barcodes: in.Texts("barcode"), Shelf: in.Text("shelf")}
	if in.Has("copies") {
		out.Copies = new(in.Integer("copies", 0))
	}
	return out
}
