// Package books implements 'library books'.
package books

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library books'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "books",
		Aliases: []string{"book"},
		Short:   "List, borrow and look after books",
		Long: `List, borrow and look after books.

A book is named by its identifier or the beginning of it (four characters or
more), by its ISBN in any spelling, or by its title: the whole title, or words of
it that no other book has. Case and accents do not matter.`,
	},
		newList(a), newShow(a), newBorrow(a), newReturn(a),
		newAdd(a), newEdit(a), newDelete(a), newCover(a), newImport(a), newExport(a))
}

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
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	a.JSONFlag(cmd, "the whole record")
	return records.OnBook(a, cmd, records.Anywhere, func(ctx context.Context, c *client.Client, b api.Book, _ []string) error {
		return a.Print(b, func() error { return showBook(ctx, a, records.NewCalendar(c), b) })
	})
}

// widestText is the width in columns of the widest text still easy to read.
const widestText = 80

// showBook shows a book as a sheet or, for programs in a pipe, as lines.
func showBook(ctx context.Context, a *command.App, k *records.Calendar, b api.Book) error {
	borrower, status := "", records.StatusOf(b)
	if b.BorrowedBy != nil {
		borrower = records.PersonName(*b.BorrowedBy)
	}
	if !a.Term.Interactive() {
		return a.PrintFields(append(bookFacts(b, status, borrower), lendingFields(ctx, k, b)...))
	}
	_, err := fmt.Fprint(a.Term.Out, bookSheet(ctx, a, k, b, status, borrower))
	return err
}

func bookSheet(ctx context.Context, a *command.App, k *records.Calendar, b api.Book, status, borrower string) string {
	var sheet strings.Builder
	sheet.WriteString(headOf(a, b.BookFields))
	shown := a.Term.Paint(records.StatusStyles[status], status)
	if status == records.StatusOnLoan && borrower != "" {
		shown += " to " + borrower
	}
	fmt.Fprintf(&sheet, "\nStatus      %s\n", shown)
	facts := lendingFacts(ctx, k, b)
	for _, f := range fields {
		if f.label != "" && (f.Name != "kind" || b.Kind != library.KindBook) {
			facts = append(facts, command.Fact{f.label, f.joined(b.BookFields)})
		}
	}
	if b.Cover != nil {
		facts = append(facts, command.Fact{"Cover", "yes"})
	}
	for _, f := range append(facts, command.Fact{"Identifier", b.Identifier}) {
		if f[1] != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", command.SheetWidth, f[0], terminal.Clean(f[1]))
		}
	}
	return sheet.String() + describedBelow(a, b.BookFields)
}

// headOf returns the head of a sheet: title and authors.
func headOf(a *command.App, f api.BookFields) string {
	head := a.Term.Paint(terminal.Bold, terminal.Wrap(terminal.Clean(f.Title), a.Term.Width())) + "\n"
	if len(f.Authors) > 0 {
		head += terminal.Wrap("by "+command.CleanList(f.Authors), a.Term.Width()) + "\n"
	}
	return head
}

// describedBelow returns the end of a sheet: the description, if there is one.
func describedBelow(a *command.App, f api.BookFields) string {
	if f.Description == "" {
		return ""
	}
	text := terminal.Wrap(terminal.CleanText(f.Description), min(a.Term.Width(), widestText)-2)
	return "\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

// bookFacts returns the fields of a book for programs, in the order of the form.
func bookFacts(b api.Book, status, borrower string) []command.Fact {
	facts := []command.Fact{{"identifier", b.Identifier}}
	for _, f := range fields {
		if f.below {
			facts = append(facts, command.Fact{"status", status}, command.Fact{"borrower", borrower})
		}
		facts = append(facts, command.Fact{f.Name, f.joined(b.BookFields)})
	}
	if b.Cover != nil {
		facts = append(facts, command.Fact{"cover", b.Cover.Version})
	}
	return facts
}

// lendingFacts returns the facts about the copies of a book, the number of waiters and
// the caller's hold, for people.
func lendingFacts(ctx context.Context, k *records.Calendar, b api.Book) []command.Fact {
	facts := []command.Fact{{"Due", k.DueAndDay(ctx, records.DueOf(b))}}
	if b.Copies > 1 {
		facts = append(facts, command.Fact{"Copies", fmt.Sprintf("%d of %d available", b.Available, b.Copies)})
	}
	shelves := "Shelf"
	if len(b.Shelves) > 1 {
		shelves = "Shelves"
	}
	facts = append(facts, command.Fact{shelves, strings.Join(b.Shelves, ", ")})
	if b.Waiting > 0 {
		facts = append(facts, command.Fact{"Waiting", command.Count(b.Waiting, "person", "people")})
	}
	if b.Hold != nil {
		facts = append(facts, command.Fact{"Your hold", k.HoldState(ctx, b.Hold.State, b.Hold.Position, b.Hold.Until)})
	}
	return facts
}

// lendingFields returns the facts of lendingFacts for programs.
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

func newDelete(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "delete BOOK",
		Aliases: []string{"rm"},
		Short:   "Delete a book",
		Long: `Delete a book that nobody has borrowed. It asks before it does, unless you say
--yes; then the whole title, the ISBN or the identifier has to be given.`,
		Example: `  library books delete "Clean Code"
  library books delete f9bf70d6-e56d-4cab-be6b-294cd05f599f --yes`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := records.BookFinder(a, c).FindUnasked(ctx, args[0], yes)
		if err != nil {
			return err
		}
		b, version, err := c.Book(ctx, found.Identifier)
		if err != nil {
			return records.ExplainBook(found, err)
		}
		name := command.Quote(b.Title)
		if len(b.Authors) > 0 {
			name += " by " + command.CleanList(b.Authors)
		}
		if err := a.Confirm(ctx, yes, "Delete "+name+"?", "Nothing was deleted."); err != nil {
			return err
		}
		if err := c.DeleteBook(ctx, b.Identifier, version); err != nil {
			return records.ExplainBook(b, err)
		}
		a.Say("Deleted %s.", command.Quote(b.Title))
		return nil
	})
}
