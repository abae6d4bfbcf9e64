package books

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

type bookExportOptions struct {
	format      string
	force       bool
	spreadsheet bool
	search      string
	author      string
	available   bool
}

func newExport(a *command.App) *cobra.Command {
	var o bookExportOptions
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write books into a file",
		Long: `Write books into a file, as CSV or as JSON with a book per line; without FILE,
to the standard output. 'library books import' reads exactly the same books
from it.

Spreadsheets run cells that begin with = + - @ as formulas. The file has titles
as they are; with --spreadsheet such cells get an apostrophe in front. Import a
file of that kind only after taking the apostrophes away.`,
		Example: `  library books export books.csv
  library books export --format jsonl | jq .title
  library books export --author austen --available austen.csv
  library books export --spreadsheet --force for-excel.csv`,
	}
	cmd.Flags().StringVar(&o.format, "format", "", "csv or jsonl (default: what the ending of the file says, else csv)")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace a file that already exists")
	cmd.Flags().BoolVar(&o.spreadsheet, "spreadsheet", false, "CSV that is safe to open in a spreadsheet, for reading")
	cmd.Flags().StringVar(&o.search, "search", "", "only books with these words")
	cmd.Flags().StringVar(&o.author, "author", "", "only books of this author")
	cmd.Flags().BoolVar(&o.available, "available", false, "only books that nobody has borrowed")
	completeFormats(cmd)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		path := append(args, "-")[0]
		format, err := o.exportFormat(cmd, path)
		if err != nil {
			return err
		}
		return exportBooks(ctx, a, c, path, o, bookfile.WriterOptions{Format: format, Spreadsheet: o.spreadsheet})
	})
}

// exportFormat is fileFormat without the endings that can be read but would be
// a lie about what is written.
func (o bookExportOptions) exportFormat(cmd *cobra.Command, path string) (bookfile.Format, error) {
	format, err := fileFormat(cmd, o.format, path)
	if err != nil {
		return "", err
	}
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case o.format == "" && path != "-" && ending != ".csv" && ending != ".jsonl" && ending != ".ndjson":
		return "", command.Usage(cmd, path, "does not say with its ending what it is to be; use .csv or .jsonl, or add --format")
	case o.spreadsheet && format != bookfile.CSV:
		return "", command.Usage(cmd, "--spreadsheet", "is for CSV files")
	}
	return format, nil
}

func (o bookExportOptions) query() client.BookQuery {
	// What is added meanwhile comes last, and is not missed.
	q := client.BookQuery{Words: o.search, Author: o.author, Sort: "created"}
	if o.available {
		q.Borrowed = new(false)
	}
	return q
}

// exportBooks writes books to the standard output or into a file.
func exportBooks(ctx context.Context, a *command.App, c *client.Client, path string, o bookExportOptions, how bookfile.WriterOptions) error {
	if path == "-" {
		_, err := writeBooks(ctx, c, exportOut(a, how.Format), o.query(), how, &terminal.Progress{})
		return err
	}
	name := terminal.Clean(path)
	if err := checkTarget(path, o.force); err != nil {
		return err
	}
	// The file appears when it is whole. Until then its name is one that
	// nobody looks for.
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+uuid.NewString()[:8]+".part")
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return command.Fail(command.ExitFailed, "There is no folder %s to write into.", terminal.Clean(filepath.Dir(path)))
	}
	if err != nil {
		return explainPath(name, err)
	}
	defer os.Remove(part) // nothing is left of it if all went well
	written, err := writeFile(ctx, a, c, file, o.query(), how)
	if err != nil {
		return err
	}
	if err := checkTarget(path, o.force); err != nil {
		return err
	}
	if replaced, err := os.Stat(path); err == nil {
		os.Chmod(part, replaced.Mode().Perm()) // who could read it still can, and nobody else
	}
	if err := os.Rename(part, path); err != nil {
		return explainPath(name, err)
	}
	a.Say("Wrote %s to %s.", command.Quantity(written, "book"), name)
	return nil
}

// exportOut is where an export without a file goes. A person gets to see it
// without what a terminal would obey.
func exportOut(a *command.App, format bookfile.Format) io.Writer {
	switch {
	case !a.Term.Interactive():
		return a.Term.Out
	case format == bookfile.JSON:
		return &command.CleanLines{Out: a.Term.Out, Clean: terminal.CleanJSON}
	}
	return &command.CleanLines{Out: a.Term.Out, Clean: terminal.CleanText}
}

// checkTarget refuses to replace what should not be.
func checkTarget(path string, force bool) error {
	name := terminal.Clean(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return explainPath(name, err)
	case !info.Mode().IsRegular():
		return command.Fail(command.ExitFailed, "%s is not a file; leave it out to write to the standard output.", name)
	case !force:
		return command.Fail(command.ExitFailed, "There is already a file %s. Use --force to replace it.", name)
	}
	return nil
}

// writeFile fills a file and closes it. It is on the disk then.
func writeFile(ctx context.Context, a *command.App, c *client.Client, file *os.File, q client.BookQuery, how bookfile.WriterOptions) (int, error) {
	progress := a.Term.NewProgress(-1, "Exporting")
	written, err := writeBooks(ctx, c, file, q, how, progress)
	progress.Done()
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return written, err
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
		books, err := fileBooks(ctx, c, page.Items, how.Copies)
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
func fileBooks(ctx context.Context, c *client.Client, books []api.Book, withCopies bool) ([]bookfile.Book, error) {
	out := make([]bookfile.Book, len(books))
	asked, ctx := errgroup.WithContext(ctx)
	asked.SetLimit(copiesAtOnce)
	for i, b := range books {
		out[i] = bookfile.Book{Identifier: b.Identifier, BookFields: b.BookFields}
		if !withCopies {
			continue
		}
		out[i].Copies = &b.Copies
		if b.Copies == 0 {
			continue
		}
		asked.Go(func() error {
			copies, err := c.Copies(ctx, b.Identifier)
			if command.HasCode(err, library.ErrBookNotFound.Code) {
				return nil // deleted meanwhile
			}
			out[i].Barcodes, out[i].Shelf = labelsOf(copies.Items)
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
