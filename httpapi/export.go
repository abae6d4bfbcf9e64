package httpapi

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"slices"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/table"
	"example.org/library/service"
	"example.org/library/userfile"
)

// exportFormat is a kind of file that an export can be.
type exportFormat struct {
	format  table.Format
	media   string
	ending  string
	options table.WriterOptions
}

var (
	// exportNames are the values of the parameter format. The first is the default.
	exportNames   = []string{"csv", "json", "marc", "marcxml"}
	exportFormats = map[string]exportFormat{
		"csv":     {format: table.CSV, media: "text/csv; charset=utf-8", ending: ".csv"},
		"json":    {format: table.JSON, media: "application/json", ending: ".json"},
		"marc":    {format: bookfile.MARC, media: "application/marc", ending: ".mrc"},
		"marcxml": {format: bookfile.MARCXML, media: "application/marcxml+xml", ending: ".xml"},
	}
	separators = map[string]rune{"comma": ',', "semicolon": ';'}
)

// takeFormat takes the parameters that choose the file from a query.
func takeFormat(in *input.Query, names []string) exportFormat {
	name := input.Choice(in, "format", names)
	f := exportFormats[name]
	if name == "" {
		f = exportFormats[names[0]]
	}
	f.options = table.WriterOptions{Format: f.format}
	if f.format == table.CSV {
		f.options.Spreadsheet = in.Flag("spreadsheet")
		f.options.Comma = separators[input.Choice(in, "separator", []string{"comma", "semicolon"})]
	}
	return f
}

// recordWriter writes the records of a file.
type recordWriter[T any] interface {
	Write(T) error
	Flush() error
}

// exportBatch is how many records are made ready for a file at once.
const exportBatch = 50

// export answers with a list as a file, in constant memory. convert makes the records of the file
// of some of the list.
func export[T, R any](x *exchange, l service.List[T], name string, f exportFormat, open func(io.Writer) (recordWriter[R], error), convert func(context.Context, []T) ([]R, error)) error {
	var buf bytes.Buffer
	w, err := open(&buf)
	if err != nil {
		return err
	}
	begin := func() {
		h := x.w.Header()
		setHeaders(h, headOf(x, l, ""))
		h["Content-Type"] = []string{f.media}
		h["Content-Disposition"] = []string{"attachment; filename=" + name + f.ending}
	}
	for batch, err := range inBatches(l) {
		if err == nil {
			err = writeBatch(x.r.Context(), w, batch, convert)
		}
		if err == nil && buf.Len() >= streamChunk {
			var over bool
			if over, err = x.stream(begin, &buf); over && err == nil {
				return nil
			}
			if err == nil {
				err = x.enter()
			}
		}
		if err != nil {
			return x.breakOff(err)
		}
	}
	err = w.Flush()
	switch {
	case err != nil:
	case x.status == 0: // a small file has a Content-Length
		begin()
		x.write(http.StatusOK, buf.Bytes())
	default:
		_, err = x.stream(begin, &buf)
	}
	return x.breakOff(err)
}

// writeBatch converts a batch and writes it.
func writeBatch[T, R any](ctx context.Context, w recordWriter[R], batch []T, convert func(context.Context, []T) ([]R, error)) error {
	records, err := convert(ctx, batch)
	for _, r := range records {
		if err == nil {
			err = w.Write(r)
		}
	}
	return err
}

// inBatches reads a list in batches, of which the next takes the place of the one before.
func inBatches[T any](l service.List[T]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		batch := make([]T, 0, exportBatch)
		for record, err := range l.All {
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, record); len(batch) < exportBatch {
				continue
			}
			if !yield(batch, nil) {
				return
			}
			batch = batch[:0]
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// exportBooks answers with books and their copies as a file.
func (s *Server) exportBooks(x *exchange) error {
	in := x.query()
	f, q := takeFormat(in, exportNames), bookFilters(in)
	q.Order = library.ByCreated // what is added meanwhile comes last, and is not missed
	if err := in.Err(); err != nil {
		return err
	}
	ctx := x.r.Context()
	q, err := s.search.Correct(ctx, x.actor, q)
	if err != nil {
		return err
	}
	x.corrected = q.Corrected
	books, err := s.service.Books(ctx, x.actor, q)
	if err != nil {
		return err
	}
	open := func(out io.Writer) (recordWriter[bookfile.Book], error) {
		return bookfile.NewWriter(out, f.options)
	}
	return export(x, books, "books", f, open, func(ctx context.Context, books []library.Book) ([]bookfile.Book, error) {
		copies, err := s.service.CopiesOf(ctx, x.actor, each(books, func(b library.Book) string { return b.ID }))
		return each(books, func(b library.Book) bookfile.Book { return fileBook(b, copies[b.ID]) }), err
	})
}

// exportUsers answers with users as a file.
func (s *Server) exportUsers(x *exchange) error {
	in := x.query()
	f, q := takeFormat(in, exportNames[:2]), userFilters(in)
	if err := in.Err(); err != nil {
		return err
	}
	users, err := s.service.Users(x.r.Context(), x.actor, q)
	if err != nil {
		return err
	}
	open := func(out io.Writer) (recordWriter[userfile.User], error) { return userfile.NewWriter(out, f.options) }
	return export(x, users, "users", f, open, func(_ context.Context, users []library.User) ([]userfile.User, error) {
		return each(users, fileUser), nil
	})
}

// fileBook returns a book as files have it: with the barcodes of the copies that can be lent, and
// their shelf if all stand on one.
func fileBook(b library.Book, copies []library.Copy) bookfile.Book {
	out := bookfile.Book{Identifier: b.ID, BookFields: api.BookFields(b.BookFields), Copies: &b.Stock.Copies}
	var shelves []string
	for _, c := range copies {
		isLendable := c.State == library.Lendable
		if isLendable || c.State == library.Reference {
			out.Items = append(out.Items, bookfile.Item{Barcode: c.Barcode, Shelf: c.Shelf, Reference: !isLendable})
		}
		if isLendable && c.Barcode != "" {
			out.Barcodes = append(out.Barcodes, c.Barcode)
		}
		if isLendable && !slices.Contains(shelves, c.Shelf) {
			shelves = append(shelves, c.Shelf)
		}
	}
	if len(shelves) == 1 {
		out.Shelf = shelves[0]
	}
	return out
}

// fileUser returns a user as files have it.
func fileUser(u library.User) userfile.User {
	w := wireUser(u)
	return userfile.User{
		Email: w.Email, FirstName: w.FirstName, LastName: w.LastName, Card: w.Card, Group: w.Group, Category: w.Category,
		Roles: w.Roles, Locale: w.Locale, Reminders: &w.Reminders, Active: &w.Active, Note: w.Note, Block: w.Block,
	}
}
