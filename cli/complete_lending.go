package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// completeReaders offers people by name, for a flag.
func completeReaders(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.complete(cmd.Context(), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			var all []cobra.Completion
			for r, err := range readersLike(ctx, c, client.ReaderQuery{Words: typed, Limit: maxCompletions}) {
				if err != nil || len(all) == maxCompletions {
					return all, err
				}
				if name := continued(typed, r.FirstName+" "+r.LastName); name != "" {
					all = append(all, cobra.CompletionWithDesc(name, terminal.Clean(r.Card)))
				} else if card := continued(typed, r.Card); card != "" && typed != "" {
					all = append(all, cobra.CompletionWithDesc(card, personName(r.Person)))
				}
			}
			return all, nil
		})
	}
}

// completeLoans offers open loans by the title of their book.
func (a *app) completeLoans(many bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.complete(cmd.Context(), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			page, err := c.Loans(ctx, client.LoanQuery{Limit: maxCompletions})
			k := newCalendar(c)
			return titles(page.Items, args, typed, func(l api.Loan) (string, string) { return l.Book.Title, k.loanDue(ctx, l) }), err
		})
	}
}

// completeHolds offers active holds by the title of their book.
func completeHolds(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.complete(cmd.Context(), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			page, err := c.Holds(ctx, client.HoldQuery{Limit: maxCompletions})
			k := newCalendar(c)
			return titles(page.Items, args, typed, func(h api.Hold) (string, string) {
				return h.Book.Title, k.holdState(ctx, h.State, h.Position, h.Until)
			}), err
		})
	}
}

// titles are the completions that go on from what was typed, each once and none
// that is an argument already.
func titles[T any](items []T, args []string, typed string, of func(T) (title, about string)) []cobra.Completion {
	var all []cobra.Completion
	seen := slices.Clone(args)
	for _, item := range items {
		title, about := of(item)
		if text := continued(typed, title); text != "" && !slices.Contains(seen, text) {
			seen = append(seen, text)
			all = append(all, cobra.CompletionWithDesc(text, terminal.Clean(about)))
		}
	}
	return all
}
