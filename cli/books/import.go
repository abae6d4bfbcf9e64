package books

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/bookfile"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

type importOptions struct {
	client.ImportOptions
	format  string
	columns []string
	strict  bool            // books that differ are a failure
	waits   []time.Duration // before a batch is sent again
}

func newImport(a *command.App) *cobra.Command {
	o := importOptions{waits: []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}}
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Add the books of a file",
		Long: `Add the books of a file: CSV as spreadsheets save it, or JSON with a book per
line. FILE may be - for the standard input.

A row is matched with a book of the library by its identifier, else by its ISBN,
else by title and authors. A row without a match is added as a new book. A book
that matches is changed only with --update, and an empty cell never clears
anything. So the same file can be imported again, corrected or longer, and
nothing is added twice.

A row that is wrong is reported with its line, and the others are imported; the
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
  library books import --column title=Buchtitel --column author=Verfasser bestand.csv
  library books export | library books import --server other -`,
	}
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what the import would do, and change nothing")
	cmd.Flags().BoolVar(&o.Update, "update", false, "change books that the file describes differently")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "end with exit code 6 if a book in the library differs from the file")
	cmd.Flags().StringVar(&o.format, "format", "", "csv or jsonl (default: what the ending of the file says, else csv)")
	cmd.Flags().StringArrayVar(&o.columns, "column", nil, "heading of a field's column, as FIELD=HEADING; can be repeated")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the outcome as JSON, with the rows that need attention")
	completeFormats(cmd)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		read, err := o.readerOptions(cmd, args[0])
		if err != nil {
			return err
		}
		return importBooks(ctx, a, c, args[0], o, read)
	})
}

func completeFormats(cmd *cobra.Command) {
	command.CompleteFlag(cmd, "format", string(bookfile.CSV), string(bookfile.JSON))
}

// fileFormat is the format that a person names, or else that of a file's name,
// or else CSV where there is no name.
func fileFormat(cmd *cobra.Command, named, path string) (bookfile.Format, error) {
	switch format := bookfile.Format(strings.ToLower(named)); {
	case format == bookfile.CSV || format == bookfile.JSON:
		return format, nil
	case named != "":
		return "", command.Usage(cmd, "--format", "must be csv or jsonl")
	case path == "" || path == "-":
		return bookfile.CSV, nil
	}
	if format := table.FormatOf(path); format != "" {
		return format, nil
	}
	return "", command.Usage(cmd, path, "does not say with its ending what it is; add --format csv or --format jsonl")
}

func (o importOptions) readerOptions(cmd *cobra.Command, path string) (bookfile.Options, error) {
	format, err := fileFormat(cmd, o.format, path)
	if err != nil {
		return bookfile.Options{}, err
	}
	out := bookfile.Options{Format: format, Columns: map[string][]string{}}
	for _, column := range o.columns {
		name, heading, found := strings.Cut(column, "=")
		field := bookfile.FieldOf(name)
		switch {
		case format != bookfile.CSV:
			return out, command.Usage(cmd, "--column", "is for CSV files; JSON members have the names of the fields")
		case !found || field == "":
			return out, command.Usage(cmd, "--column "+column, "must be FIELD=HEADING, with a field of "+strings.Join(bookfile.Fields, ", "))
		case heading == "":
			out.Columns[field] = []string{}
		default:
			out.Columns[field] = append(out.Columns[field], heading)
		}
	}
	return out, nil
}

// importBooks imports a file and says what came of it.
func importBooks(ctx context.Context, a *command.App, c *client.Client, path string, o importOptions, read bookfile.Options) error {
	in, name, err := openBooks(ctx, a, path)
	if err != nil {
		return err
	}
	defer in.Close()
	total := -1
	if file, is := in.(*os.File); is && a.Term.ShowsProgress() {
		total = countRows(file, read)
	}
	file, err := bookfile.NewReader(in, read)
	if err != nil {
		return explainFile(name, err)
	}
	i := &bookImporter{
		app: a, client: c, options: o, file: file, name: name,
		progress: a.Term.NewProgress(total, "Importing"),
		report:   importReport{term: a.Term, name: name, options: o.ImportOptions, json: a.JSON, say: a.Env.Message},
	}
	return i.run(ctx)
}

// openBooks opens a file for reading and says what people call it.
func openBooks(ctx context.Context, a *command.App, path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(command.Interruptible{Ctx: ctx, In: a.Term.In}), "stdin", nil
	}
	name := terminal.Clean(path)
	file, err := command.OpenFile(ctx, path)
	if err != nil {
		return nil, "", explainPath(name, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file.Close()
		return nil, "", command.Fail(command.ExitFailed, "%s is a folder; name the file in it.", name)
	}
	return file, name, nil
}

// explainPath says why a file cannot be opened or written.
func explainPath(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return command.Fail(command.ExitFailed, "There is no file %s.", name)
	case errors.Is(err, fs.ErrPermission):
		return command.Fail(command.ExitFailed, "You may not open %s (%w).", name, fs.ErrPermission)
	}
	return command.Fail(command.ExitFailed, "%s: %w", name, withoutPath(err))
}

// explainFile says what is wrong with a whole file.
func explainFile(name string, err error) error {
	if _, is := errors.AsType[*bookfile.NoTitleError](err); is {
		return command.Fail(command.ExitFailed, "%s: %w.\nSay which column it is with --column title=HEADING.", name, err)
	}
	return command.Fail(command.ExitFailed, "%s: %w.", name, withoutPath(err))
}

// withoutPath is an error about a file that does not name the file.
func withoutPath(err error) error {
	if wrapped, is := errors.AsType[*fs.PathError](err); is {
		return wrapped.Err
	}
	return err
}

// countRows goes once through a regular file, for the sake of a bar that knows
// its end; -1 if that cannot be.
func countRows(file *os.File, o bookfile.Options) int {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	defer file.Seek(0, io.SeekStart)
	in, err := bookfile.NewReader(file, o)
	if err != nil {
		return -1
	}
	for n := 0; ; n++ {
		_, err := in.Read()
		if _, bad := errors.AsType[*bookfile.RowError](err); err != nil && !bad {
			return n
		}
	}
}
