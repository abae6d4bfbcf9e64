package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

func newHoldAdd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "add BOOK...",
		Aliases: []string{"place"},
		Short:   "Reserve books that are on loan",
		Long: `Reserve books of which no copy is available: you are put at the end of the
queue. When it is your turn, a copy is set aside for you for some days, and
'library books borrow' gets it.`,
		Example: `  library holds add "Clean Code"
  library holds add 978-0-13-110362-7 3038627d`,
	}
	a.jsonFlag(cmd, "the new holds, in an array,")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		finder, k := a.bookFinder(c).only(called), newCalendar(c)
		placed := []api.Hold{}
		failed := a.eachName(ctx, c, args, "books could not be reserved", func(name string) error {
			b, err := finder.find(ctx, name)
			if err != nil {
				return err
			}
			h, err := c.PlaceHold(ctx, b.Identifier)
			if err != nil {
				return explainBook(b, err)
			}
			placed = append(placed, h)
			if a.term.Interactive() {
				a.say("You have reserved %s: %s.", quote(b.Title), k.holdState(ctx, h.State, h.Position, h.Until))
			}
			return nil
		})
		if a.json {
			if err := a.printJSON(placed); err != nil {
				return err
			}
		}
		return failed
	})
	cmd.ValidArgsFunction = a.completeBooks(anyNumber, anyBook)
	return cmd
}

func newHoldCancel(a *app) *cobra.Command {
	scope := &lendingScope{}
	cmd := &cobra.Command{
		Use:     "cancel HOLD...",
		Aliases: []string{"rm", "remove"},
		Short:   "Give places in queues up",
		Long: `Give up places in queues. A copy that was set aside goes to the next in line.
Readers cancel their own holds, curators everybody's.`,
		Example: `  library holds cancel "Clean Code"
  library holds cancel "Clean Code" --user "Bruce Wayne"
  library holds cancel 9b1f22c4 81c0de99`,
	}
	scope.userFlag(a, cmd, "holds")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.find(ctx, a, c)
		if err != nil {
			return err
		}
		finder := a.holdFinder(ctx, c, user)
		return a.eachName(ctx, c, args, "holds could not be cancelled", func(name string) error {
			h, err := finder.find(ctx, name)
			if err != nil {
				return err
			}
			if err := c.CancelHold(ctx, h.Identifier); err != nil {
				return matter{title: h.Book.Title}.explain(err)
			}
			a.say("The hold of %s is cancelled.", quote(h.Book.Title))
			return nil
		})
	})
	cmd.ValidArgsFunction = completeHolds(a)
	return cmd
}

func newHoldFetch(a *app) *cobra.Command {
	scope, undo := &lendingScope{}, false
	cmd := &cobra.Command{
		Use:   "fetch HOLD...",
		Short: "Note that copies were taken from their shelves",
		Long: `Note that the copies that are set aside were taken from their shelves and put
with those to be handed out, so that nobody looks for them again. A copy that
comes back at the desk is noted by itself. For curators.`,
		Example: `  library holds fetch "Clean Code"
  library holds fetch 9b1f22c4 81c0de99
  library holds fetch "Clean Code" --undo`,
	}
	scope.userFlag(a, cmd, "holds")
	cmd.Flags().BoolVar(&undo, "undo", false, "the copies still have to be taken from their shelves")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.find(ctx, a, c)
		if err != nil {
			return err
		}
		finder := a.holdFinder(ctx, c, user)
		return a.eachName(ctx, c, args, "holds could not be changed", func(name string) error {
			h, err := finder.find(ctx, name)
			if err != nil {
				return err
			}
			noted, err := c.FetchHold(ctx, h.Identifier, !undo)
			if err != nil {
				return matter{title: h.Book.Title}.explain(err)
			}
			if undo {
				a.say("%s still has to be fetched.", quote(h.Book.Title))
			} else {
				a.say("%s is fetched. %s.", quote(h.Book.Title), setAside(ctx, newCalendar(c), noted))
			}
			return nil
		})
	})
	cmd.ValidArgsFunction = completeHolds(a)
	return cmd
}
