package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/terminal"
)

// CSVFlag adds --csv to a command that lists.
func (a *App) CSVFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.CSV, "csv", false, "print the whole list as CSV for spreadsheets")
}

// CheckCSV returns the problems with a --csv.
func CheckCSV(cmd *cobra.Command) (problems Problems) {
	for _, other := range []string{"json", "limit", "by-group"} {
		if f := cmd.Flags().Lookup("csv"); f != nil && f.Changed && cmd.Flags().Changed(other) {
			problems.Add("--csv", "cannot go with --"+other+"; it prints the whole list, and in another form")
		}
	}
	return problems
}

// PrintCSV prints the list of a query as CSV for spreadsheets.
func (a *App) PrintCSV(ctx context.Context, c *client.Client, q client.SheetQuery) error {
	in, err := c.Spreadsheet(ctx, q)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(a.FileOut(terminal.CleanText), in)
	return err
}

// FileOut returns the writer for a file on the standard output. For a terminal, it makes
// control characters harmless.
func (a *App) FileOut(clean func(string) string) io.Writer {
	if a.Term.Interactive() {
		return &CleanLines{Out: a.Term.Out, Clean: clean}
	}
	return a.Term.Out
}
