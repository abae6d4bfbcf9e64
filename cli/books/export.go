package books

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

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
		Long: `Write books into a file, as CSV, as JSON with a book per line, or as MARC 21
records (.mrc; MARCXML: .xml); without FILE, to the standard output.
'library books import' reads exactly the same books from it.

Spreadsheets run cells that begin with = + - @ as formulas. The file has titles
as they are; with --spreadsheet such cells get an apostrophe in front. Import a
file of that kind only after taking the apostrophes away.`,
		Example: `  library books export books.csv
  library books export --format jsonl | jq .title
  library books export --author austen --available austen.csv
  library books export catalogue.mrc
  library books export --format marcxml
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
		return o.Write(ctx, a, path, format, "book", func(ctx context.Context, out io.Writer, progress *terminal.Progress) (int, error) {
			return writeBooks(ctx, c, out, o.query(), bookfile.WriterOptions{Format: format, Spreadsheet: o.Spreadsheet}, progress)
		})
	})
}

func (o bookExportOptions) query() client.BookQuery {
	// What is added meanwhile comes last, and is not missed.
	q := client.BookQuery{Words: o.search, Author: o.author, Sort: "created"}
	if o.available {
		q.Borrowed = new(false)
	}
	return q
}

// writeBooks writes the books of a query, page by page.
func writeBooks(ctx context.Context, c *client.Client, out io.Writer, q client.BookQuery, how bookfile.WriterOptions, progress *terminal.Progress) (written int, err error) {
	me, err := c.Me(ctx)
	if err != nil {
		return 0, err
	}
	how.Copies = isStaff(me)
	w, err := bookfile.NewWriter(out, how)
	if err != nil {
		return 0, err
	}
	for page, err := range c.BookPages(ctx, q, 0) {
		if err != nil {
			return written, err
		}
		books, err := fileBooks(ctx, c, page.Items, how)
		if err != nil {
			return written, err
		}
		for _, b := range books {
			if err := w.Write(b); err != nil {
				return written, fmt.Errorf("the books cannot be written: %w", err)
			}
		}
		written += len(page.Items)
		progress.Total(page.Total)
		progress.Add(len(page.Items))
	}
	return written, w.Flush()
}

// isStaff reports whether the caller may read copies.
func isStaff(me api.Me) bool {
	return slices.Contains(me.Authorities, library.RoleCurator.Authority()) || slices.Contains(me.Authorities, library.RoleAdmin.Authority())
}

// copiesAtOnce is how many books are asked for their copies at the same time.
const copiesAtOnce = 8

// fileBooks are books as a file has them, with their copies for those who may read
// these.
func fileBooks(ctx context.Context, c *client.Client, books []api.Book, how bookfile.WriterOptions) ([]bookfile.Book, error) {
	out := make([]bookfile.Book, len(books))
	asked, ctx := errgroup.WithContext(ctx)
	asked.SetLimit(copiesAtOnce)
	for i, b := range books {
		out[i] = bookfile.Book{Identifier: b.Identifier, BookFields: b.BookFields}
		if !how.Copies {
			continue
		}
		out[i].Copies = &b.Copies
		if b.Copies == 0 && !bookfile.IsMARC(how.Format) {
			continue
		}
		asked.Go(func() error {
			copies, err := c.Copies(ctx, b.Identifier)
			if command.HasCode(err, library.ErrBookNotFound.Code) {
				return nil // deleted meanwhile
			}
			out[i].Barcodes, out[i].Shelf = labelsOf(copies.Items)
			out[i].Items = itemsOf(copies.Items)
			return err
		})
	}
	return out, asked.Wait()
}

// labelsOf are the barcodes of the copies that can be lent, and their shelf if they
// stand on one.
func labelsOf(copies []api.Copy) (barcodes []string, shelf string) {
	var shelves []string
	for _, c := range copies {
		if c.State != string(library.Lendable) {
			continue
		}
		if c.Barcode != "" {
			barcodes = append(barcodes, c.Barcode)
		}
		if !slices.Contains(shelves, c.Shelf) {
			shelves = append(shelves, c.Shelf)
		}
	}
	if len(shelves) == 1 {
		shelf = shelves[0]
	}
	return barcodes, shelf
}

// itemsOf are the copies that can be lent or stay in the library.
func itemsOf(copies []api.Copy) (items []bookfile.Item) {
	for _, c := range copies {
		if isReference := c.State == string(library.Reference); isReference || c.State == string(library.Lendable) {
			items = append(items, bookfile.Item{Barcode: c.Barcode, Shelf: c.Shelf, Reference: isReference})
		}
	}
	return items
}
