package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

func newBookBorrow(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "borrow BOOK...",
		Short: "Borrow books",
		Long:  `Borrow books. A book that you already have stays as it is.`,
		Example: `  library books borrow "Clean Code"
  library books borrow 978-0-13-110362-7 3038627d`,
	}
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return a.lend(ctx, c, args, lending{
			find: a.bookFinder(c).only(called).find, do: c.Borrow, done: "You have %s now.", failed: "borrowed",
		})
	})
	cmd.ValidArgsFunction = a.completeBooks(anyNumber, freeBook)
	return cmd
}

func newBookReturn(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "return BOOK...",
		Short: "Return books",
		Long:  `Return books that you have borrowed.`,
		Example: `  library books return "Clean Code"
  library books return 978-0-13-110362-7 3038627d`,
	}
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return a.lend(ctx, c, args, lending{
			find: a.ownFirst(c), do: c.Return, done: "You have returned %s.", failed: "returned",
		})
	})
	cmd.ValidArgsFunction = a.completeBooks(anyNumber, ownBook)
	return cmd
}

// ownFirst finds a book among those that the caller has; only if it is not there,
// among all. A book that is called exactly so goes before one of the caller's
// that is only called something like it: it may have been returned before.
func (a *app) ownFirst(c *client.Client) func(context.Context, string) (api.Book, error) {
	return func(ctx context.Context, name string) (api.Book, error) {
		mine, err := c.MyBooks(ctx)
		if err != nil {
			return api.Book{}, err
		}
		var b api.Book
		own, all := a.bookFinderAmong(mine.Items), a.bookFinder(c)
		for _, f := range []*finder[api.Book]{own.only(exactly), all.only(exactly), own.only(called), all.only(called)} {
			if b, err = f.find(ctx, name); exitCode(err) != ExitNotFound {
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
func (a *app) lend(ctx context.Context, c *client.Client, names []string, l lending) error {
	k := newCalendar(c)
	return a.eachName(ctx, c, names, "books could not be "+l.failed, func(name string) error {
		b, err := l.find(ctx, name)
		if err != nil {
			return err
		}
		after, err := l.do(ctx, b.Identifier)
		if err != nil {
			return explainBook(b, err)
		}
		a.say(l.done, quote(b.Title))
		if after.Loan != nil && after.Loan.DueAt != "" && a.term.Interactive() {
			a.say("It is %s.", k.isDue(ctx, after.Loan.DueAt))
		}
		return nil
	})
}

// eachName does something with what each name means. What fails does not stop
// the others; the exit code is that of the first.
func (a *app) eachName(ctx context.Context, c *client.Client, names []string, failure string, do func(name string) error) error {
	var first error
	failed := 0
	for _, name := range names {
		err := do(name)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return err
		}
		err = a.explain(ctx, c, err)
		if len(names) == 1 {
			return err
		}
		a.env.complain(err)
		if failed++; first == nil {
			first = err
		}
	}
	if first != nil {
		return fail(exitCode(first), "%d of %d %s.", failed, len(names), failure)
	}
	return nil
}
