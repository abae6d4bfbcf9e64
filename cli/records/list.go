package records

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// List is a command that lists loans or holds: those of a person or a book, open ones
// or what one of the filters selects.
type List[T any] struct {
	Nouns    string
	None     string // what is said if there are none, without a filter
	Filters  [2]Filter
	Conflict string                   // what is wrong with the first filter if another is given, too
	Flags    func(cmd *cobra.Command) // more of them; nil for none
	Pages    func(ctx context.Context, c *client.Client, q ListQuery) iter.Seq2[client.Page[T], error]
	Show     func(context.Context, *terminal.Terminal, *client.Client, iter.Seq2[T, error]) error
}

// Filter is a flag that selects other records.
type Filter struct {
	Flag, Letter, Usage string
	State               string // which is asked of the service
	None                string
}

// ListQuery is what a list asks the service for.
type ListQuery struct {
	State, User, Book string
	Limit             int
}

// Command completes the command, which has its texts already.
func (l List[T]) Command(a *command.App, cmd *cobra.Command) *cobra.Command {
	var (
		scope Scope
		limit int
		given [2]bool
	)
	cmd.Use, cmd.Aliases = "list", []string{"ls"}
	scope.Flags(a, cmd, l.Nouns)
	for i, f := range l.Filters {
		cmd.Flags().BoolVarP(&given[i], f.Flag, f.Letter, false, f.Usage)
	}
	if l.Flags != nil {
		l.Flags(cmd)
	}
	command.LimitFlag(cmd, &limit)
	a.JSONFlag(cmd, "whole records")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := command.CheckLimit(cmd, limit)
		if given[0] && given[1] {
			problems.Add("--"+l.Filters[0].Flag, l.Conflict)
		}
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		user, book, err := scope.Find(ctx, a, c)
		if err != nil {
			return err
		}
		q, none := ListQuery{User: user, Book: book, Limit: a.LimitOf(limit)}, l.None
		for i, f := range l.Filters {
			if given[i] {
				q.State, none = f.State, f.None
			}
		}
		show := func(records iter.Seq2[T, error]) error { return l.Show(ctx, a.Term, c, records) }
		return command.List(a, l.Pages(ctx, c, q), show, l.Nouns, none)
	})
}
