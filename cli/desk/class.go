package desk

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/validation"
)

func newClass(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "class CLASS",
		Short: "Lend to a class or collect from it, scan after scan",
		Long: `Lend to a class, a group of people, scan after scan, until Ctrl-D: each copy goes
to the next person by last name who may take one. A line with - skips a person who
is absent. With --book every copy must be of that book.

With --collect the copies come back, in any order. If two people have swapped their
copies, the last one is put right. In the end it names who still has one.`,
		Example: `  library desk class 7b --book Emma
  library desk class 7b --book Emma --due 2027-07-02 < scans.txt
  library desk class 7b --collect`,
		Args: cobra.ExactArgs(1),
	}
	title, due, collect := "", "", false
	cmd.Flags().StringVar(&title, "book", "", "the only book: title, ISBN or identifier")
	cmd.Flags().StringVar(&due, "due", "", "the last day of the loans, such as 2027-07-02, in place of the rules")
	cmd.Flags().BoolVar(&collect, "collect", false, "take the copies back")
	a.JSONFlag(cmd, "each answer on a line")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		d := &classDesk{session: newSession(a, c), group: args[0], due: due, books: map[string]string{}}
		if err := d.open(ctx, title); err != nil {
			return err
		}
		if !collect {
			d.Prompt, d.Answer, d.Summary = d.ask, d.lend, d.sum
			return d.run(ctx)
		}
		d.Prompt, d.Answer = func() string { return "Return: " }, d.takeBack
		d.Summary = func() string { return "Took " + command.Quantity(d.done, "book") + " back" }
		return d.collect(ctx)
	})
}

// classDesk lends to a class, or collects from it.
type classDesk struct {
	session
	group, book, due string
	next             []api.Reader // without a copy, by last name
	books            map[string]string
	done             int
}

// open reads the class and finds the book with a title, if it is given.
func (d *classDesk) open(ctx context.Context, title string) (err error) {
	if d.next, err = command.Collect(d.c.AllReaders(ctx, client.ReaderQuery{Group: d.group})); err != nil {
		return err
	}
	if len(d.next) == 0 {
		return command.Refusal(command.ExitNotFound, library.ErrUnknownGroup.Code, "Nobody is in the class %s.", command.Quote(d.group))
	}
	if title == "" {
		return nil
	}
	b, err := records.BookFinder(d.a, d.c).Find(ctx, title)
	d.book, d.books[b.Identifier] = b.Identifier, b.Title
	return err
}

func (d *classDesk) ask() string {
	if len(d.next) == 0 {
		return "Nobody is left: "
	}
	return records.PersonName(d.next[0].Person) + ": "
}

func (d *classDesk) sum() string {
	return "Lent " + command.Quantity(d.done, "book") + " to " + d.group
}

// lend lends a copy to the next person, or skips the person.
func (d *classDesk) lend(ctx context.Context, code string) (answer, error) {
	if len(d.next) == 0 {
		return answer{}, command.Fail(command.ExitFailed, "Everybody in %s had a turn. %s was not lent.", d.group, command.Quote(code))
	}
	if code == "-" {
		skipped := d.next[0]
		d.next = d.next[1:]
		return answer{Message: "Skipped " + records.PersonName(skipped.Person) + "."}, nil
	}
	f := client.BatchFields{Book: d.book, Barcodes: []string{code}, DueAt: d.due}
	for _, r := range d.next[:min(len(d.next), library.MaxBatchPeople)] {
		f.Users = append(f.Users, r.Identifier)
	}
	got, err := d.c.LendBatch(ctx, f)
	if err != nil {
		return answer{}, refusedInClass(code, err)
	}
	d.next = d.next[len(got.Skipped)+len(got.Loans):]
	var text strings.Builder
	for _, s := range got.Skipped {
		text.WriteString("Skipped " + records.PersonName(s.User) + ": " + whySkipped[s.Code] + ". ")
	}
	if len(got.Loans) == 0 {
		return answer{}, command.Fail(command.ExitFailed, "%sNobody is left for %s.", text.String(), command.Quote(code))
	}
	d.done++
	l := got.Loans[0]
	text.WriteString("Lent " + command.Quote(l.Book.Title) + " to " + records.NameOf(l.User))
	if l.DueAt != "" {
		text.WriteString(" until " + d.k.Day(ctx, l.DueAt))
	}
	return answer{Loan: &l, Message: text.String() + "."}, nil
}

var whySkipped = map[string]string{
	library.ErrHasIt.Code:      "has the book",
	library.ErrBlocked.Code:    "is blocked",
	library.ErrInactive.Code:   "is switched off",
	library.ErrNotForYou.Code:  "gets no such book by the rules",
	library.ErrLoanLimit.Code:  "has as many books as one person can borrow",
	library.ErrHasOverdue.Code: "has an overdue loan",
}

// refusedInClass explains why a copy is lent to nobody.
func refusedInClass(code string, err error) error {
	refused, is := command.AsRefusal(err)
	if !is || refused.Code != library.ErrCopiesRefused.Code || len(refused.Details) == 0 {
		return err
	}
	detail := refused.Details[0]
	exit := command.ExitConflict
	if detail.Code == string(validation.CodeUnknownCode) {
		exit = command.ExitNotFound
	}
	return command.Refusal(exit, detail.Code, "%s %s.", command.Quote(code), detail.Message)
}

// takeBack ends the loan of a copy, and says who is missing.
func (d *classDesk) takeBack(ctx context.Context, code string) (answer, error) {
	got, err := d.c.ReturnBatch(ctx, client.ReturnBatchFields{Barcodes: []string{code}, Group: d.group})
	if err != nil {
		return answer{}, err
	}
	switch one := got[0]; {
	case one.Loan == nil && one.Code == library.ErrCopyNotBorrowed.Code:
		return answer{Candidates: one.Candidates}, command.Refusal(command.ExitConflict, one.Code,
			"%s is not on loan. If it was swapped, scan it again when the others are back.", command.Quote(code))
	case one.Loan == nil:
		return answer{}, command.Refusal(command.ExitNotFound, one.Code, "The library knows no barcode %s. Scan it again.", command.Quote(code))
	default:
		return d.back(ctx, *one.Loan)
	}
}

func (d *classDesk) back(ctx context.Context, l api.Loan) (answer, error) {
	d.done++
	d.books[l.Book.Identifier] = l.Book.Title
	text := command.Quote(l.Book.Title) + " is back"
	if name := records.NameOf(l.User); name != "" {
		text += " from " + name
	}
	if l.Swapped {
		text += ", who had another copy by the records"
	}
	text += "."
	if l.Hold != nil {
		text += " " + records.SetAside(ctx, d.k, *l.Hold) + "."
	}
	missing, err := d.missing(ctx, l.Book.Identifier)
	if err == nil && len(missing) > 0 {
		text += " Missing: " + strings.Join(missing[:min(len(missing), 3)], ", ")
		if more := len(missing) - 3; more > 0 {
			text += " and " + command.Thousands(more) + " more"
		}
		text += "."
	}
	return answer{Loan: &l, Message: text}, nil
}

// missing returns the names of those in the class who have a book.
func (d *classDesk) missing(ctx context.Context, book string) ([]string, error) {
	loans, err := command.Collect(d.c.AllLoans(ctx, client.LoanQuery{Book: book, Group: d.group}))
	var names []string
	for _, l := range loans {
		name := records.NameOf(l.User)
		if l.Copy != nil && l.Copy.Barcode != "" {
			name += " (" + l.Copy.Barcode + ")"
		}
		names = append(names, name)
	}
	return names, err
}

// collect takes copies back, and names who still has one.
func (d *classDesk) collect(ctx context.Context) error {
	err := d.run(ctx)
	for _, book := range slices.Sorted(maps.Keys(d.books)) {
		if missing, failed := d.missing(ctx, book); failed == nil && len(missing) > 0 {
			d.a.Message("%s still to come: %s.", command.Quote(d.books[book]), strings.Join(missing, ", "))
		}
	}
	return err
}
