package books

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"example.org/library/bookfile"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/marc"
	"example.org/library/internal/table"
)

var nouns = bulk.Nouns{One: "book", Many: "books"}

func newImport(a *command.App) *cobra.Command {
	o := bulk.Options{More: marcFormats}
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the books of a file",
		Long: `Add the books of a file: CSV as spreadsheets save it, JSON with a book per line, or
MARC 21 records (.mrc, .marc; MARCXML: .xml). FILE may be - for the standard input.

A row is matched with a book of the library by its identifier, else by its ISBN, else
by title and authors; without a match it is added as a new book. A book that matches
is changed only with --update, and an empty cell never clears anything, so the same
file can be imported again. A row that is wrong is reported with its line (of MARC, the
number of the record), and the others are imported; the exit code is then 1, or 6 with
--strict if a row differs from the library.

Columns are found by usual headings: title, authors (with a semicolon between two),
isbn, description, identifier and others. --column names others, and
--column identifier= ignores one.

A dry run looks at 500 rows at a time, and does not know what earlier ones would add.`,
		Example: `  library books import books.csv
  library books import --dry-run --update books.csv
  library books import --column title=Buchtitel --column author=Verfasser bestand.csv
  library books export | library books import --server other -`,
	}
	o.Flags(a, cmd, nouns)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		read, err := o.Reader(cmd, args[0], bookfile.Fields, bookfile.FieldOf)
		if err != nil {
			return err
		}
		return importBooks(ctx, a, c, args[0], o, read)
	})
}

// importBooks imports a file and reports the outcome.
func importBooks(ctx context.Context, a *command.App, c *client.Client, path string, o bulk.Options, read bookfile.Options) error {
	in, name, err := bulk.Open(ctx, a, path)
	if err != nil {
		return err
	}
	defer in.Close()
	send, place := c.ImportBooks, ""
	if bookfile.IsMARC(read.Format) {
		send, place = c.ImportMARC, "record"
	}
	open := func(in io.Reader) (bulk.Source, error) {
		if bookfile.IsMARC(read.Format) {
			file, err := bookfile.NewMARCReader(in, read)
			return marcSource{file}, err
		}
		file, err := bookfile.NewReader(in, read)
		return source{file}, err
	}
	total := bulk.CountRows(a, in, open)
	file, err := open(in)
	if err != nil {
		return explainFile(name, err)
	}
	return bulk.Import{
		App: a, Nouns: nouns, Options: o, Name: name, Source: file, Total: total, Place: place, Send: send, Explain: explainFile,
	}.Run(ctx)
}

// source reads the books of a file and encodes them for sending.
type source struct{ *bookfile.Reader }

func (s source) Read() (int, client.EncodedRow, error) {
	row, err := s.Reader.Read()
	if err != nil {
		return 0, nil, err
	}
	return row.Line, client.EncodeBook(client.BookFields{
		Identifier: row.Book.Identifier, BookFields: row.Book.BookFields,
		Copies: row.Book.Copies, Barcodes: row.Book.Barcodes, Shelf: row.Book.Shelf,
	}), nil
}

// marcFormats are the formats of MARC records.
var marcFormats = []bulk.Format{{Name: bookfile.MARC, Endings: []string{".mrc", ".marc"}}, {Name: bookfile.MARCXML, Endings: []string{".xml"}}}

// marcSource reads the MARC records of a file and encodes them for sending. The library makes
// books of them.
type marcSource struct{ *bookfile.MARCReader }

func (s marcSource) Read() (int, client.EncodedRow, error) {
	row, err := s.MARCReader.Read()
	if err != nil {
		return 0, nil, err
	}
	return row.Number, marc.AppendISO(nil, row.Record), nil
}

func explainFile(name string, err error) error {
	if errors.Is(err, table.ErrMARC) {
		return command.Fail(command.ExitFailed, "%s: these are MARC records. Import them with --format marc, or with --format marcxml if they are XML.", name)
	}
	if _, is := errors.AsType[*bookfile.NoTitleError](err); is {
		return command.Fail(command.ExitFailed, "%s: %w.\nSay which column it is with --column title=HEADING.", name, err)
	}
	return command.Fail(command.ExitFailed, "%s: %w.", name, bulk.WithoutPath(err))
}

type bookExportOptions struct {
	bulk.Export
	search    string
	author    string
	available bool
}

func newExport(a *command.App) *cobra.Command {
	o := bookExportOptions{Export: bulk.Export{More: marcFormats}}
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write books into a file",
		Long: `Write books and their copies into a file, as CSV, as JSON with a book per line, or as
MARC 21 records (.mrc; MARCXML: .xml); without FILE, to the standard output.
'library books import' reads exactly the same books from it. For curators and admins.

Spreadsheets run cells that begin with = + - @ as formulas. The file has titles
as they are; with --spreadsheet such cells get an apostrophe in front, which an
import takes off again.`,
		Example: `  library books export books.csv
  library books export --format jsonl | jq .title
  library books export catalogue.mrc
  library books export --spreadsheet --force for-excel.csv`,
	}
	o.Flags(cmd)
	cmd.Flags().StringVar(&o.search, "search", "", "only books with these words")
	cmd.Flags().StringVar(&o.author, "author", "", "only books of this author")
	cmd.Flags().BoolVar(&o.available, "available", false, "only books that nobody has borrowed")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		path := append(args, "-")[0]
		format, err := o.FileFormat(cmd, path)
		if err != nil {
			return err
		}
		return o.Write(ctx, a, path, format, "book", func(how client.ExportOptions) (*client.Export, error) {
			return c.ExportBooks(ctx, o.query(), how)
		})
	})
}

func (o bookExportOptions) query() client.BookQuery {
	q := client.BookQuery{Words: o.search, Author: o.author}
	if o.available {
		q.Borrowed = new(false)
	}
	return q
}
