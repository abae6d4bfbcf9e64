package loans

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newRenew(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "renew LOAN...",
		Short: "Renew loans",
		Long: `Renew loans, so that they are due later. The rules of the library say how often that
can be done. Readers renew their own loans, curators everybody's.`,
		Example: `  library loans renew "Clean Code"
  library loans renew 978-0-13-110362-7 5e8f3a21
  library loans renew "Clean Code" --user "Bruce Wayne"`,
	}
	return newChange(a, cmd, "renewed", (*client.Client).Renew, func(ctx context.Context, k *records.Calendar, l api.Loan) string {
		if l.DueAt == "" {
			return command.Quote(l.Book.Title) + " has no due date."
		}
		return command.Quote(l.Book.Title) + " is " + k.IsDue(ctx, l.DueAt) + " now."
	}).Command(a, cmd)
}

// newChange adds flags to a command for loans, and returns the change to run.
func newChange(a *command.App, cmd *cobra.Command, done string,
	do func(*client.Client, context.Context, string) (api.Loan, error),
	say func(context.Context, *records.Calendar, api.Loan) string) records.Change[api.Loan] {
	scope := &records.Scope{}
	scope.UserFlag(a, cmd, "loans")
	a.JSONFlag(cmd, "the loans as they are then, in an array,")
	cmd.ValidArgsFunction = completeLoans(a, command.AnyNumber)
	return records.Change[api.Loan]{
		Scope: scope, Failure: "loans could not be " + done, Finder: loanFinder, Explain: explainLoan, Say: say,
		Do: func(ctx context.Context, c *client.Client, l api.Loan) (api.Loan, error) {
			return do(c, ctx, l.Identifier)
		},
	}
}

func newReturn(a *command.App) *cobra.Command {
	var barcodes []string
	var asClaimed bool
	cmd := &cobra.Command{
		Use:   "return [LOAN...]",
		Short: "Return loans",
		Long: `Return loans. Readers return their own, curators those of all readers. For
curators the answer says whether to set the copy aside for somebody who waits for
it. For a pile of books and a scanner use 'library desk return'.

With --barcode the copies in your hand are returned. A reader may have another copy
of the book than the records say: the loan ends all the same. At the desk, curators
name the LOAN that ends with a copy that nobody has by the records.`,
		Example: `  library loans return "Clean Code"
  library loans return "Clean Code" --user "Bruce Wayne"
  library loans return --barcode B-0001
  library loans return 5e8f3a21 --barcode B-0002
  library loans return "Clean Code" --user "Bruce Wayne" --as-claimed`,
	}
	change := newChange(a, cmd, "returned", (*client.Client).ReturnLoan, sayReturned)
	cmd.Flags().BoolVar(&asClaimed, "as-claimed", false, "end claimed loans as of the day of the claim; for curators")
	records.BarcodesFlag(cmd, &barcodes, "return the copy with this barcode; may be repeated")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		return loanOrCopies(cmd, args, barcodes)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		if asClaimed {
			change.Do = func(ctx context.Context, c *client.Client, l api.Loan) (api.Loan, error) {
				return c.ReturnClaimed(ctx, l.Identifier)
			}
		}
		switch {
		case len(barcodes) == 0:
			return change.Run(ctx, a, c, args)
		case len(args) > 0:
			change.Do = func(ctx context.Context, c *client.Client, l api.Loan) (api.Loan, error) {
				return c.ReturnCopy(ctx, client.ReturnFields{Barcode: barcodes[0], Loan: l.Identifier, AsClaimed: asClaimed})
			}
			change.Explain = explainWith(barcodes[0])
			return change.Run(ctx, a, c, args)
		}
		return returnCopies(ctx, a, c, barcodes, asClaimed)
	})
}

// loanOrCopies refuses a return that names neither a loan nor copies, or too much.
func loanOrCopies(cmd *cobra.Command, args, barcodes []string) error {
	switch {
	case len(args) == 1 && len(barcodes) == 1:
		return nil
	case len(barcodes) > 0 && cmd.Flags().Changed("user"):
		return command.Usage(cmd, "--user", "cannot go with --barcode alone; name the LOAN")
	}
	return records.OneOf(cmd, args, barcodes, "LOAN")
}

// returnCopies returns the copies with these barcodes. If nobody has one, it shows curators the open
// loans of its book.
func returnCopies(ctx context.Context, a *command.App, c *client.Client, barcodes []string, asClaimed bool) error {
	k := records.NewCalendar(c)
	return command.Each(ctx, a, c, barcodes, "copies could not be returned", func(barcode string) (api.Loan, error) {
		l, err := c.ReturnCopy(ctx, client.ReturnFields{Barcode: barcode, AsClaimed: asClaimed})
		if refused, is := command.AsRefusal(err); is && len(refused.Candidates) > 0 {
			if err := showLoans(ctx, a.Screen(), c, command.Sequence(refused.Candidates)); err != nil {
				return l, err
			}
			return l, command.Refusal(command.ExitConflict, refused.Code,
				"Nobody has the copy %s by the records. 'library loans return LOAN --barcode %[1]s' returns it for one of these loans.", barcode)
		}
		if err != nil {
			return l, records.ExplainCopy(ctx, c, barcode, err)
		}
		if a.Term.Interactive() {
			a.Say("%s", sayReturned(ctx, k, l))
		}
		return l, nil
	})
}

func sayReturned(ctx context.Context, k *records.Calendar, l api.Loan) string {
	text := command.Quote(l.Book.Title) + " is returned."
	if l.Swapped {
		text += " The records named another copy; that is put right."
	}
	if l.Hold != nil {
		text += " " + records.SetAside(ctx, k, *l.Hold) + "."
	}
	return text
}

// explainWith returns the explanation of a refusal about a loan and the copy with a barcode.
func explainWith(barcode string) func(context.Context, *client.Client, *records.Calendar, api.Loan, error) error {
	return func(ctx context.Context, c *client.Client, k *records.Calendar, l api.Loan, err error) error {
		title, copy := command.Quote(l.Book.Title), "the copy "+command.Quote(barcode)
		return explainLoan(ctx, c, k, l, command.InWords(err, map[string]string{
			library.ErrCopyNotFound.Code:  "No copy has the barcode " + command.Quote(barcode) + ". Scan it again.",
			library.ErrUnknownCode.Code:   "No copy has the barcode " + command.Quote(barcode) + ". Scan it again.",
			library.ErrOtherBook.Code:     "The loan is of " + title + ", and " + copy + " is of another book.",
			library.ErrLentToAnother.Code: "Somebody else has " + copy + " of " + title + " by the records. 'library loans move' with --swap exchanges the two.",
			library.ErrReserved.Code:      "Somebody waits for " + copy + " of " + title + ", which is set aside.",
			library.ErrNotLendable.Code:   "A loan cannot have " + copy + " of " + title + ": it is not lent. 'library copies list " + title + "' shows the others.",
		}))
	}
}

func newMove(a *command.App) *cobra.Command {
	to, scope := client.MoveFields{}, &records.Scope{}
	cmd := &cobra.Command{
		Use:   "move LOAN COPY",
		Short: "Say that a reader has another copy of the book",
		Long: `Say that a reader has another copy of the book than the records do: COPY is its
barcode or its identifier. The loan keeps its reader, its dates and its renewals.
With --swap two readers who have each other's copies are put right at once. For
curators.`,
		Example: `  library loans move "Clean Code" B-0002
  library loans move "Clean Code" B-0002 --user "Bruce Wayne"
  library loans move 5e8f3a21 B-0002 --swap`,
		ValidArgsFunction: completeLoans(a, command.OneArgument),
	}
	scope.UserFlag(a, cmd, "loans")
	cmd.Flags().BoolVar(&to.Swap, "swap", false, "exchange the copies if somebody else has COPY")
	a.JSONFlag(cmd, "the loan as it is then")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.Find(ctx, a, c)
		if err != nil {
			return err
		}
		l, err := loanFinder(ctx, a, c, user).Find(ctx, args[0])
		if err != nil {
			return err
		}
		if id, is := library.ParseID(args[1]); is {
			to.Copy = id
		} else {
			to.Barcode = args[1]
		}
		after, err := c.MoveLoan(ctx, l.Identifier, to)
		if err != nil {
			return explainWith(args[1])(ctx, c, records.NewCalendar(c), l, err)
		}
		return a.Changed(after, "%s has the copy %s of %s now.", cmp.Or(records.NameOf(after.User), "The reader"), args[1], command.Quote(after.Book.Title))
	})
}
