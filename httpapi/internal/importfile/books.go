package importfile

import (
	"io"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/bookimport"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/table"
)

// Books is the files of books.
func Books() Kind[bookimport.Row] {
	return Kind[bookimport.Row]{
		Formats: marcFormats, size: library.ErrImportSize, open: openBooks,
		Invalid: func(err error) bookimport.Row { return bookimport.Row{Err: err} },
	}
}

// marcFormats are the files of MARC records.
var marcFormats = map[string]table.Format{"application/marc": bookfile.MARC, "application/marcxml+xml": bookfile.MARCXML}

// openBooks reads the books of a file.
func openBooks(in io.Reader, o table.Options) (source[bookimport.Row], error) {
	if bookfile.IsMARC(o.Format) {
		file, err := bookfile.NewMARCReader(in, o)
		if err != nil {
			return source[bookimport.Row]{}, err
		}
		return source[bookimport.Row]{file, func() (bookimport.Row, api.ImportResult, error) { return marcRow(file) }}, nil
	}
	file, err := bookfile.NewReader(in, o)
	if err != nil {
		return source[bookimport.Row]{}, err
	}
	return source[bookimport.Row]{file.Reader, func() (bookimport.Row, api.ImportResult, error) {
		in, err := file.Read()
		row := tableRow(in.Book)
		return row, api.ImportResult{Line: in.Line, Book: rowBook(in.Book, row.BookFields)}, err
	}}, nil
}

// marcRow returns the next record, cut to the limits: catalogues have none, and a shortened
// text is better than a missing book.
func marcRow(file *bookfile.MARCReader) (bookimport.Row, api.ImportResult, error) {
	in, err := file.Read()
	if err != nil {
		return bookimport.Row{}, api.ImportResult{}, err
	}
	row := tableRow(in.Book)
	for _, item := range in.Book.Items {
		c := library.CopyFields{Barcode: item.Barcode, Shelf: item.Shelf}
		if item.Reference {
			c.State = library.Reference
		}
		row.Each = append(row.Each, c)
	}
	out := api.ImportResult{Record: in.Number}
	for _, field := range row.Fit() {
		out.Warnings = append(out.Warnings, api.Warning{Field: field, Message: "does not fit and is cut, or left out", Code: "cut"})
	}
	if in.Record.Replaced {
		out.Warnings = append(out.Warnings, api.Warning{Field: "record", Message: "has characters that cannot be read; U+FFFD stands in their place", Code: "unreadable_characters"})
	}
	out.Book = rowBook(in.Book, row.BookFields)
	return row, out, nil
}

// asKept is the fields of a book as the library keeps them, or as they were given if they break a rule.
func asKept(f library.BookFields) api.RowFields {
	if kept, wrong := f.Normalized(); len(wrong) == 0 {
		f = kept
	}
	return api.RowFields(f)
}

// rowBook is how a row was understood, with these fields.
func rowBook(b bookfile.Book, f library.BookFields) *api.RowBook {
	out := &api.RowBook{Identifier: b.Identifier, RowFields: asKept(f), Copies: b.Copies, Barcodes: b.Barcodes, Shelf: b.Shelf}
	if len(b.Items) == 0 {
		return out
	}
	out.Copies, out.Shelf = new(len(b.Items)), b.Items[0].Shelf
	for _, item := range b.Items {
		if item.Barcode != "" {
			out.Barcodes = append(out.Barcodes, item.Barcode)
		}
		if item.Shelf != out.Shelf {
			out.Shelf = "" // each has its own
		}
	}
	return out
}

func tableRow(b bookfile.Book) bookimport.Row {
	row := bookimport.Row{BookFields: library.BookFields(b.BookFields),
		RowCopies: bookimport.RowCopies{Copies: b.Copies, Barcodes: b.Barcodes, Shelf: b.Shelf}}
	if b.Identifier == "" {
		return row
	}
	id, ok := library.ParseID(b.Identifier)
	if row.ID = id; !ok {
		var in input.Fields
		in.Refuse(input.NotUUID("identifier"))
		row.Err = in.Err(row.Check())
	}
	return row
}
