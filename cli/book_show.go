package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newBookShow(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show BOOK",
		Aliases: []string{"view"},
		Short:   "Show a book",
		Long: `Show a book. Who has it is shown to that reader, to curators and to admins.

In a pipe there is one line for each field: its name, a tab and its value.`,
		Example: `  library books show "Clean Code"
  library books show 0132350882
  library books show f9bf70d6 --json`,
	}
	a.jsonFlag(cmd, "the whole record")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := a.bookFinder(c).find(ctx, args[0])
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(b)
		}
		return a.showBook(b, (&viewer{c: c}).status(ctx, b))
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}

// widestText is how many columns a text has that is still easy to read.
const widestText = 80

// showBook shows a book as a sheet, and as lines for programs in a pipe.
func (a *app) showBook(b api.Book, status string) error {
	borrower := ""
	if b.BorrowedBy != nil {
		borrower = personName(*b.BorrowedBy)
	}
	if !a.term.Interactive() {
		return a.printFields([][2]string{
			{"identifier", b.Identifier}, {"title", b.Title}, {"authors", joinAuthors(b)}, {"isbn", b.ISBN},
			{"status", status}, {"borrower", borrower}, {"description", b.Description},
		})
	}
	var sheet strings.Builder
	fmt.Fprintln(&sheet, a.term.Paint(terminal.Bold, terminal.Wrap(terminal.Clean(b.Title), a.term.Width())))
	if len(b.Authors) > 0 {
		fmt.Fprintln(&sheet, terminal.Wrap("by "+terminal.Clean(strings.Join(b.Authors, ", ")), a.term.Width()))
	}
	shown := a.term.Paint(statusStyles[status], status)
	if status == statusOnLoan && borrower != "" {
		shown += " to " + borrower
	}
	fmt.Fprintf(&sheet, "\nStatus      %s\n", shown)
	if b.ISBN != "" {
		fmt.Fprintf(&sheet, "ISBN        %s\n", terminal.Clean(b.ISBN))
	}
	fmt.Fprintf(&sheet, "Identifier  %s\n", terminal.Clean(b.Identifier))
	if b.Description != "" {
		text := terminal.Wrap(terminal.CleanText(b.Description), min(a.term.Width(), widestText)-2)
		fmt.Fprintf(&sheet, "\n  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
	_, err := fmt.Fprint(a.term.Out, sheet.String())
	return err
}

// printFields writes the fields that have a value, one on a line.
func (a *app) printFields(fields [][2]string) error {
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(a.term.Out, "%s\t%s\n", f[0], terminal.Clean(f[1])); err != nil {
			return err
		}
	}
	return nil
}
