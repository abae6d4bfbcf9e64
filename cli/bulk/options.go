package bulk

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
)

// Options is how a file is imported.
type Options struct {
	client.ImportOptions
	Format  string
	Columns []string
	Strict  bool            // rows that differ are a failure
	More    []Format        // that the command reads beside CSV and JSON
	Waits   []time.Duration // before a batch is sent again
	// LongWaits are those of a long import, after these. A service that is brought up to date, or
	// a machine that is very busy, should not end what has run for minutes.
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

// Format is a format of some files, beside CSV and JSON.
type Format struct {
	Name    table.Format
	Endings []string
}

// formatNames are the formats as people name them.
func formatNames(more []Format) (names []string) {
	names = []string{string(table.CSV), string(table.JSON)}
	for _, f := range more {
		names = append(names, string(f.Name))
	}
	return names
}

// alternatives is "csv, jsonl or marc".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// formatFlag adds --format.
func formatFlag(cmd *cobra.Command, into *string, more []Format) {
	names := formatNames(more)
	cmd.Flags().StringVar(into, "format", "", alternatives(names)+" (default: what the ending of the file says, else csv)")
	command.CompleteFlag(cmd, "format", names...)
}

// fileFormat is the format that a person names, or else that of a file's name,
// or else CSV where there is no name.
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

// Reader is what a reader has to know of the file. FieldOf tells the field that a word is
// for.
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
