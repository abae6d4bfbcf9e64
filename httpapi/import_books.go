package httpapi

import (
	"encoding/json"
	"io"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/table"
)

func (s *Server) importBooks(x *exchange) error {
	return serveImport(x, x.query(), importKind[library.ImportRow]{
		noun: "book", fields: importRow, invalid: func(err error) library.ImportRow { return library.ImportRow{Err: err} },
		size: library.ErrImportSize, open: openBooks, run: s.service.ImportBooks,
	})
}

func importRow(members map[string]json.RawMessage) library.ImportRow {
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

// openBooks reads the books of a CSV file.
func openBooks(in io.Reader, o table.Options) (tableSource[library.ImportRow], error) {
	file, err := bookfile.NewReader(in, o)
	if err != nil {
		return tableSource[library.ImportRow]{}, err
	}
	return tableSource[library.ImportRow]{file.Reader, func() (library.ImportRow, api.ImportResult, error) {
		row, err := file.Read()
		return tableRow(row.Book), api.ImportResult{Line: row.Line, Book: rowBook(row.Book)}, err
	}}, nil
}

// rowBook is how a row was understood.
func rowBook(b bookfile.Book) *api.RowBook {
	return &api.RowBook{Identifier: b.Identifier, RowFields: api.RowFields(b.BookFields), Copies: b.Copies, Barcodes: b.Barcodes, Shelf: b.Shelf}
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
