package bulk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

// Open opens a file for reading and returns its name for messages.
func Open(ctx context.Context, a *command.App, path string) (io.ReadCloser, string, error) {
	name := terminal.Clean(path)
	file, err := a.OpenInput(ctx, path)
	if err != nil {
		return nil, "", explainPath(name, err)
	}
	if path == "-" {
		return file, "stdin", nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file.Close()
		return nil, "", command.Fail(command.ExitFailed, "%s is a folder; name the file in it.", name)
	}
	return file, name, nil
}

// explainPath returns an error with the reason for a failure to open or write a file.
func explainPath(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return command.Fail(command.ExitFailed, "There is no file %s.", name)
	case errors.Is(err, fs.ErrPermission):
		return command.Fail(command.ExitFailed, "You may not open %s (%w).", name, fs.ErrPermission)
	}
	return command.Fail(command.ExitFailed, "%s: %w", name, WithoutPath(err))
}

// WithoutPath returns an error about a file without the file's name.
func WithoutPath(err error) error {
	if wrapped, is := errors.AsType[*fs.PathError](err); is {
		return wrapped.Err
	}
	return err
}

// CountRows reads a regular file once and returns its number of rows, so that the
// progress bar knows its end. It returns -1 if it cannot count, or if no bar is shown.
func CountRows(a *command.App, in io.Reader, open func(io.Reader) (Source, error)) int {
	file, is := in.(*os.File)
	if !is || !a.Term.ShowsProgress() {
		return -1
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	defer file.Seek(0, io.SeekStart)
	rows, err := open(file)
	if err != nil {
		return -1
	}
	for n := 0; ; n++ {
		_, _, err := rows.Read()
		if _, bad := errors.AsType[*table.RowError](err); err != nil && !bad {
			return n
		}
	}
}

// Options are the options for importing a file.
type Options struct {
	client.ImportOptions
	Format  string
	Columns []string
	Strict  bool            // fail if rows differ from the library
	More    []Format        // read by the command beside CSV and JSON
	Waits   []time.Duration // before a batch is sent again
	// LongWaits follow Waits in a long import. An upgrade of the service, or a very busy
	// machine, should not end an import after minutes of work.
	LongWaits []time.Duration
}

// Flags adds the flags of an import.
func (o *Options) Flags(a *command.App, cmd *cobra.Command, nouns Nouns) {
	o.Waits = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
	o.LongWaits = []time.Duration{8 * time.Second, 15 * time.Second, 30 * time.Second, 30 * time.Second, 30 * time.Second}
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what the import would do, and change nothing")
	cmd.Flags().BoolVar(&o.Update, "update", false, "change "+nouns.Many+" that the file describes differently")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "end with exit code 6 if a "+nouns.One+" in the library differs from the file")
	formatFlag(cmd, &o.Format, o.More)
	cmd.Flags().StringArrayVar(&o.Columns, "column", nil, "heading of a field's column, as FIELD=HEADING; can be repeated")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the outcome as JSON, with the rows that need attention")
}

// Format is a file format beside CSV and JSON.
type Format struct {
	Name    table.Format
	Endings []string
}

// formatNames returns the names of the formats, as people type them.
func formatNames(more []Format) (names []string) {
	names = []string{string(table.CSV), string(table.JSON)}
	for _, f := range more {
		names = append(names, string(f.Name))
	}
	return names
}

// alternatives joins names for a sentence, as in "csv, jsonl or marc".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// formatFlag adds the flag --format.
func formatFlag(cmd *cobra.Command, into *string, more []Format) {
	names := formatNames(more)
	cmd.Flags().StringVar(into, "format", "", alternatives(names)+" (default: what the ending of the file says, else csv)")
	command.CompleteFlag(cmd, "format", names...)
}

// fileFormat returns the named format if there is one, else the format for the ending of
// the path. Without a path, or for "-", it returns CSV.
func fileFormat(cmd *cobra.Command, named, path string, more []Format) (table.Format, error) {
	names := formatNames(more)
	switch format := strings.ToLower(named); {
	case slices.Contains(names, format):
		return table.Format(format), nil
	case named != "":
		return "", command.Usage(cmd, "--format", "must be "+alternatives(names))
	case path == "" || path == "-":
		return table.CSV, nil
	}
	ending := strings.ToLower(filepath.Ext(path))
	for _, f := range more {
		if slices.Contains(f.Endings, ending) {
			return f.Name, nil
		}
	}
	if format := table.FormatOf(path); format != "" {
		return format, nil
	}
	return "", command.Usage(cmd, path, "does not say with its ending what it is; add --format with "+alternatives(names))
}

// Reader returns the options for reading the file. The function fieldOf maps a word to a
// field, or to "".
func (o Options) Reader(cmd *cobra.Command, path string, fields []string, fieldOf func(string) string) (table.Options, error) {
	format, err := fileFormat(cmd, o.Format, path, o.More)
	if err != nil {
		return table.Options{}, err
	}
	out := table.Options{Format: format, Columns: map[string][]string{}}
	for _, column := range o.Columns {
		name, heading, found := strings.Cut(column, "=")
		field := fieldOf(name)
		switch {
		case format != table.CSV && format != table.JSON:
			return out, command.Usage(cmd, "--column", "is for CSV files")
		case format != table.CSV:
			return out, command.Usage(cmd, "--column", "is for CSV files; JSON members have the names of the fields")
		case !found || field == "":
			return out, command.Usage(cmd, "--column "+column, "must be FIELD=HEADING, with a field of "+strings.Join(fields, ", "))
		case heading == "":
			out.Columns[field] = []string{}
		default:
			out.Columns[field] = append(out.Columns[field], heading)
		}
	}
	return out, nil
}
