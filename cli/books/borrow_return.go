package books

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newBorrow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "borrow BOOK...",
		Short: "Borrow books",
		Long:  `Borrow books. A book that you already have stays as it is.`,
		Example: `  library books borrow "Clean Code"
  library books borrow 978-0-13-110362-7 3038627d`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.FreeBook),
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return lend(ctx, a, c, args, lending{
			find: records.BookFinder(a, c).Only(records.Called).Find, do: c.Borrow, done: "You have %s now.", failed: "borrowed",
		})
	})
}

func newReturn(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "return BOOK...",
		Short: "Return books",
		Long:  `Return books that you have borrowed.`,
		Example: `  library books return "Clean Code"
  library books return 978-0-13-110362-7 3038627d`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.OwnBook),
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return lend(ctx, a, c, args, lending{
			find: ownFirst(a, c), do: c.Return, done: "You have returned %s.", failed: "returned",
		})
	})
}

// ownFirst finds a book among those that the caller has; only if it is not there,
// among all. A book that is called exactly so goes before one of the caller's
// that is only called something like it: it may have been returned before.
func ownFirst(a *command.App, c *client.Client) func(context.Context, string) (api.Book, error) {
	return func(ctx context.Context, name string) (api.Book, error) {
		mine, err := c.MyBooks(ctx)
		if err != nil {
			return api.Book{}, err
		}
		var b api.Book
		own, all := records.BookFinderAmong(a, mine.Items), records.BookFinder(a, c)
		for _, f := range []*records.Finder[api.Book]{own.Only(records.Exactly), all.Only(records.Exactly), own.Only(records.Called), all.Only(records.Called)} {
			if b, err = f.Find(ctx, name); command.ExitCode(err) != command.ExitNotFound {
				break
			}
		}
		return b, err
	}
}

// lending is what is done with books, one after the other.
type lending struct {
	find   func(context.Context, string) (api.Book, error)
	do     func(context.Context, string) (api.Book, error)
	done   string // what is said of a book
	failed string
}

// lend borrows or returns books.
func lend(ctx context.Context, a *command.App, c *client.Client, names []string, l lending) error {
	k := records.NewCalendar(c)
	return command.Each(ctx, a, c, names, "books could not be "+l.failed, func(name string) (api.Book, error) {
		b, err := l.find(ctx, name)
		if err != nil {
			return b, err
		}
		after, err := l.do(ctx, b.Identifier)
		if err != nil {
			return after, records.ExplainBook(b, err)
		}
		a.Say(l.done, command.Quote(b.Title))
		if after.Loan != nil && after.Loan.DueAt != "" && a.Term.Interactive() {
			a.Say("It is %s.", k.IsDue(ctx, after.Loan.DueAt))
		}
		return after, nil
	})
}
