package cli

import (
	"context"
	"fmt"
	"strconv"
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
		Long: `Show a book: how many copies there are, and when the next one is due if none is
available. Who has it is shown to that reader, to curators and to admins.

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
		return a.showBook(ctx, newCalendar(c), b)
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}

// widestText is how many columns a text has that is still easy to read.
const widestText = 80

// showBook shows a book as a sheet, and as lines for programs in a pipe.
func (a *app) showBook(ctx context.Context, k *calendar, b api.Book) error {
	borrower, status := "", statusOf(b)
	if b.BorrowedBy != nil {
		borrower = personName(*b.BorrowedBy)
	}
	if !a.term.Interactive() {
		return a.printFields(append([]fact{
			{"identifier", b.Identifier}, {"title", b.Title}, {"authors", joinAuthors(b)}, {"isbn", b.ISBN},
			{"status", status}, {"borrower", borrower}, {"description", b.Description},
		}, lendingFields(ctx, k, b)...))
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
	for _, f := range append(lendingFacts(ctx, k, b), fact{"ISBN", b.ISBN}, fact{"Identifier", b.Identifier}) {
		if f[1] != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", sheetWidth, f[0], terminal.Clean(f[1]))
		}
	}
	if b.Description != "" {
		text := terminal.Wrap(terminal.CleanText(b.Description), min(a.term.Width(), widestText)-2)
		fmt.Fprintf(&sheet, "\n  %s\n", strings.ReplaceAll(text, "\n", "\n  "))
	}
	_, err := fmt.Fprint(a.term.Out, sheet.String())
	return err
}

// lendingFacts is what there is to say of the copies of a book and who waits for
// them.
func lendingFacts(ctx context.Context, k *calendar, b api.Book) []fact {
	facts := []fact{{"Due", k.dueAndDay(ctx, dueOf(b))}}
	if b.Copies > 1 {
		facts = append(facts, fact{"Copies", fmt.Sprintf("%d of %d available", b.Available, b.Copies)})
	}
	switch len(b.Shelves) {
	case 0:
	case 1:
		facts = append(facts, fact{"Shelf", b.Shelves[0]})
	default:
		facts = append(facts, fact{"Shelves", strings.Join(b.Shelves, ", ")})
	}
	if b.Waiting == 1 {
		facts = append(facts, fact{"Waiting", "1 person"})
	} else if b.Waiting > 1 {
		facts = append(facts, fact{"Waiting", thousands(b.Waiting) + " people"})
	}
	if b.Hold != nil {
		facts = append(facts, fact{"Your hold", k.holdState(ctx, b.Hold.State, b.Hold.Position, b.Hold.Until)})
	}
	return facts
}

// lendingFields is the same for programs.
func lendingFields(ctx context.Context, k *calendar, b api.Book) []fact {
	fields := []fact{{"copies", strconv.Itoa(b.Copies)}, {"available", strconv.Itoa(b.Available)}, {"waiting", strconv.Itoa(b.Waiting)}, {"shelves", strings.Join(b.Shelves, ", ")}}
	if due := dueOf(b); due != "" {
		fields = append(fields, fact{"dueAt", due}, fact{"due", k.due(ctx, due)})
	}
	if b.Hold != nil {
		fields = append(fields, fact{"hold", k.holdState(ctx, b.Hold.State, b.Hold.Position, b.Hold.Until)})
	}
	return fields
}
