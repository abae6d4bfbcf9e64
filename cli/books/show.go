package books

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newShow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show BOOK",
		Aliases: []string{"view"},
		Short:   "Show a book",
		Long: `Show a book: how many copies there are, and when the next one is due if none is
available. Who has it is shown to that reader, to curators and to admins.

In a pipe there is one line for each field: its name, a tab and its value.`,
		Example: `  library books show "Clean Code"
  library books show 0132350882
  library books show f9bf70d6 --json`,
	}
	a.JSONFlag(cmd, "the whole record")
	a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := records.BookFinder(a, c).Find(ctx, args[0])
		if err != nil {
			return err
		}
		if a.JSON {
			return a.PrintJSON(b)
		}
		return showBook(ctx, a, records.NewCalendar(c), b)
	})
	cmd.ValidArgsFunction = records.CompleteBooks(a, command.OneArgument, records.AnyBook)
	return cmd
}

// widestText is how many columns a text has that is still easy to read.
const widestText = 80

// showBook shows a book as a sheet, and as lines for programs in a pipe.
func showBook(ctx context.Context, a *command.App, k *records.Calendar, b api.Book) error {
	borrower, status := "", records.StatusOf(b)
	if b.BorrowedBy != nil {
		borrower = records.PersonName(*b.BorrowedBy)
	}
	if !a.Term.Interactive() {
		return a.PrintFields(append([]command.Fact{
			{"identifier", b.Identifier}, {"title", b.Title}, {"authors", records.JoinAuthors(b)}, {"isbn", b.ISBN},
			{"status", status}, {"borrower", borrower}, {"description", b.Description},
		}, lendingFields(ctx, k, b)...))
	}
	var sheet strings.Builder
	fmt.Fprintln(&sheet, a.Term.Paint(terminal.Bold, terminal.Wrap(terminal.Clean(b.Title), a.Term.Width())))
	if len(b.Authors) > 0 {
		fmt.Fprintln(&sheet, terminal.Wrap("by "+terminal.Clean(strings.Join(b.Authors, ", ")), a.Term.Width()))
	}
	shown := a.Term.Paint(records.StatusStyles[status], status)
	if status == records.StatusOnLoan && borrower != "" {
		shown += " to " + borrower
	}
	fmt.Fprintf(&sheet, "\nStatus      %s\n", shown)
	for _, f := range append(lendingFacts(ctx, k, b), command.Fact{"ISBN", b.ISBN}, command.Fact{"Identifier", b.Identifier}) {
		if f[1] != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", command.SheetWidth, f[0], terminal.Clean(f[1]))
		}
	}
	if b.Description != "" {
		text := terminal.Wrap(terminal.CleanText(b.Description), min(a.Term.Width(), widestText)-2)
		fmt.Fprintf(&sheet, "\n  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
	_, err := fmt.Fprint(a.Term.Out, sheet.String())
	return err
}

// lendingFacts is what there is to say of the copies of a book and who waits for
// them.
func lendingFacts(ctx context.Context, k *records.Calendar, b api.Book) []command.Fact {
	facts := []command.Fact{{"Due", k.DueAndDay(ctx, records.DueOf(b))}}
	if b.Copies > 1 {
		facts = append(facts, command.Fact{"Copies", fmt.Sprintf("%d of %d available", b.Available, b.Copies)})
	}
	switch len(b.Shelves) {
	case 0:
	case 1:
		facts = append(facts, command.Fact{"Shelf", b.Shelves[0]})
	default:
		facts = append(facts, command.Fact{"Shelves", strings.Join(b.Shelves, ", ")})
	}
	if b.Waiting == 1 {
		facts = append(facts, command.Fact{"Waiting", "1 person"})
	} else if b.Waiting > 1 {
		facts = append(facts, command.Fact{"Waiting", command.Thousands(b.Waiting) + " people"})
	}
	if b.Hold != nil {
		facts = append(facts, command.Fact{"Your hold", k.HoldState(ctx, b.Hold.State, b.Hold.Position, b.Hold.Until)})
	}
	return facts
}

// lendingFields is the same for programs.
func lendingFields(ctx context.Context, k *records.Calendar, b api.Book) []command.Fact {
	fields := []command.Fact{{"copies", strconv.Itoa(b.Copies)}, {"available", strconv.Itoa(b.Available)}, {"waiting", strconv.Itoa(b.Waiting)}, {"shelves", strings.Join(b.Shelves, ", ")}}
	if due := records.DueOf(b); due != "" {
		fields = append(fields, command.Fact{"dueAt", due}, command.Fact{"due", k.Due(ctx, due)})
	}
	if b.Hold != nil {
		fields = append(fields, command.Fact{"hold", k.HoldState(ctx, b.Hold.State, b.Hold.Position, b.Hold.Until)})
	}
	return fields
}
