package users

import (
	"context"
	"fmt"
	"slices"
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

type cardOptions struct {
	first  string // of the numbers
	group  string
	dryRun bool
	yes    bool
}

func newCards(a *command.App) *cobra.Command {
	var o cardOptions
	cmd := &cobra.Command{
		Use:   "cards",
		Short: "Give a card number to everybody who has none",
		Long: `Give a card number to every active person who has none, group by group, in the order
of names. The numbers go on after the highest that somebody has, counted from the one
that --first names: with --first S-0001 the next after S-0417 is S-0418.

In a pipe there is one line for each user, with tabs between the card, the group, the
name and the e-mail address.`,
		Example: `  library users cards --first S-0001
  library users cards --first S-0001 --group 7a --dry-run`,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if _, digits := cutNumber(o.first); digits == "" || !library.IsCode(o.first) {
				return command.Usage(cmd, "--first", "must be a card number that ends with digits, such as S-0001")
			}
			return a.MustAskOr(cmd, o.yes || o.dryRun)
		},
	}
	cmd.Flags().StringVar(&o.first, "first", "R0001", "the first number, with what stands before it")
	cmd.Flags().StringVar(&o.group, "group", "", "only users of this group")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show the numbers, and change nothing")
	command.YesFlag(cmd, &o.yes)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error { return numberCards(ctx, a, c, o) })
}

func cutNumber(card string) (prefix, digits string) {
	prefix = strings.TrimRight(card, "0123456789")
	return prefix, card[len(prefix):]
}

func numberCards(ctx context.Context, a *command.App, c *client.Client, o cardOptions) error {
	all, err := command.Collect(c.AllUsers(ctx, client.UserQuery{}))
	if err != nil {
		return err
	}
	numbered, err := o.number(all)
	if err != nil {
		return err
	}
	if len(numbered) == 0 {
		a.Message("Everybody has a card.")
		return nil
	}
	table := a.Term.NewTable(terminal.Column{Title: "card", Style: terminal.Bold}, terminal.Column{Title: "group"}, terminal.Column{Title: "name", Give: 2}, terminal.Column{Title: "e-mail", Give: 1})
	for _, u := range numbered {
		table.Row(u.Card, u.Group, userName(u), u.Email)
	}
	if err := table.Flush(); err != nil || o.dryRun {
		return err
	}
	question := "Give these cards to " + command.Count(len(numbered), "person", "people") + "?"
	if err := a.Confirm(ctx, o.yes, question, "No card was given."); err != nil {
		return err
	}
	given, err := change(ctx, a, c, numbered, func(u api.User) api.RowUser { return api.RowUser{Email: u.Email, Card: u.Card} }, "Not everybody could get a card. Run the same command again for the others.")
	a.Message("Gave a card to %s of %s.", command.Thousands(given), command.Thousands(len(numbered)))
	return err
}

// number returns the users without a card, each with a new one. All must be all users:
// nobody gets the card of somebody else.
func (o cardOptions) number(all []api.User) (numbered []api.User, _ error) {
	prefix, digits := cutNumber(o.first)
	next, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return nil, command.Fail(command.ExitFailed, "%s is too large a number.", command.Quote(digits))
	}
	for _, u := range all {
		if before, number := cutNumber(u.Card); before == prefix && number != "" {
			if n, err := strconv.ParseUint(number, 10, 63); err == nil && n >= next {
				next = n + 1
			}
		}
	}
	for _, u := range byGroup(all) {
		isMeant := o.group == "" || library.GroupKey(u.Group) == library.GroupKey(o.group)
		if u.Card != "" || !u.Active || u.Station || !isMeant || strings.HasPrefix(u.Email, library.ServiceAddress) {
			continue
		}
		u.Card = fmt.Sprintf("%s%0*d", prefix, len(digits), next)
		numbered = append(numbered, u)
		next++
	}
	return numbered, nil
}

// change edits many users, with as few requests as possible, and counts the edited ones.
// Row returns the changes to a user; otherwise is the error's text if some are refused.
func change(ctx context.Context, a *command.App, c *client.Client, users []api.User, row func(api.User) api.RowUser, otherwise string) (changed int, _ error) {
	var refused error
	for some := range slices.Chunk(users, client.MaxImport) {
		var rows []client.EncodedRow
		for _, u := range some {
			rows = append(rows, client.EncodeUser(row(u)))
		}
		results, err := c.ImportUsers(client.WithIdempotencyKey(ctx, client.NewIdempotencyKey()), rows, client.ImportOptions{Update: true}, client.NewPeople{})
		if err != nil {
			return changed, err
		}
		for i, r := range results {
			if r.Outcome == client.Updated || r.Outcome == client.Unchanged {
				changed++
				continue
			}
			a.Message("%s: %s", command.FullName(some[i]), terminal.Clean(r.Message))
			refused = command.Fail(command.ExitFailed, "%s", otherwise)
		}
	}
	return changed, refused
}

// byGroup returns users group by group, users without one last. Within a group their order
// stays the same.
func byGroup(users []api.User) []api.User {
	return slices.SortedStableFunc(slices.Values(users), func(x, y api.User) int {
		return records.CompareGroups(x.Group, y.Group)
	})
}
