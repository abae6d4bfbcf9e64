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
)

var nouns = bulk.Nouns{One: "book", Many: "books"}

func newImport(a *command.App) *cobra.Command {
	o := bulk.Options{More: marcFormats}
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the books of a file",
		Long: `Add the books of a file: CSV as spreadsheets save it, JSON with a book per
line, or MARC 21 records (.mrc, .marc; MARCXML: .xml). FILE may be - for the
standard input.

A row is matched with a book of the library by its identifier, else by its ISBN,
else by title and authors. A row without a match is added as a new book. A book
that matches is changed only with --update, and an empty cell never clears
anything. So the same file can be imported again, corrected or longer, and
nothing is added twice.

A row that is wrong is reported with its line (of MARC, the number of the
record), and the others are imported; the
exit code is then 1. A row that differs from the library is reported, too; with
--strict the exit code is then 6.

The columns of a CSV file are found by their headings: title, authors (with a
semicolon between two), isbn, description, identifier, and what these are often
called. --column names others, and --column identifier= ignores one.

A dry run looks at 500 rows at a time, and does not know what earlier ones would
have added.`,
		Example: `  library books import books.csv
  library books import --dry-run --update books.csv
  library books import --dry-run --strict books.csv
  library books import --dry-run catalogue.mrc
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

// importBooks imports a file and says what came of it.
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
			return marcSource{bookfile.NewMARCReader(in, read)}, nil
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

// source is the books of a file as they are sent.
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

// marcSource is the records of a file as they are sent. The library makes books of them.
type marcSource struct{ *bookfile.MARCReader }

func (s marcSource) Read() (int, client.EncodedRow, error) {
	row, err := s.MARCReader.Read()
	if err != nil {
		return 0, nil, err
	}
	return row.Number, marc.AppendISO(nil, row.Record), nil
}

// explainFile says what is wrong with a whole file.
func explainFile(name string, err error) error {
	if file, is := errors.AsType[*bookfile.FileError](err); is && file.Code == "file_marc" {
		return command.Fail(command.ExitFailed, "%s: these are MARC records. Import them with --format marc, or with --format marcxml if they are XML.", name)
	}
	if _, is := errors.AsType[*bookfile.NoTitleError](err); is {
		return command.Fail(command.ExitFailed, "%s: %w.\nSay which column it is with --column title=HEADING.", name, err)
	}
	return command.Fail(command.ExitFailed, "%s: %w.", name, bulk.WithoutPath(err))
}
