package records

import (
	"context"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Scope narrows loans and holds to a person and a book.
type Scope struct{ user, book string }

// Flags adds --user and --book.
func (s *Scope) Flags(a *command.App, cmd *cobra.Command, nouns string) {
	s.UserFlag(a, cmd, nouns)
	cmd.Flags().StringVarP(&s.book, "book", "b", "", "only "+nouns+" of this book: title, ISBN or identifier")
	_ = cmd.RegisterFlagCompletionFunc("book", CompleteBooks(a, command.AnyNumber, AnyBook)) // fails only without the flag
}

// UserFlag adds --user.
func (s *Scope) UserFlag(a *command.App, cmd *cobra.Command, nouns string) {
	PersonFlag(a, cmd, &s.user, "only "+nouns+" of this person")
}

// PersonFlag adds --user to a command that does something for or with a person.
func PersonFlag(a *command.App, cmd *cobra.Command, into *string, usage string) {
	cmd.Flags().StringVarP(into, "user", "u", "", usage+": name, e-mail address, card or identifier")
	_ = cmd.RegisterFlagCompletionFunc("user", completeReaders(a)) // fails only without the flag
}

// Find turns the names into identifiers.
func (s *Scope) Find(ctx context.Context, a *command.App, c *client.Client) (userID, bookID string, err error) {
	if s.user != "" {
		reader, err := ReaderFinder(a, c).Find(ctx, s.user)
		if err != nil {
			return "", "", err
		}
		userID = reader.Identifier
	}
	if s.book != "" {
		book, err := BookFinder(a, c).Find(ctx, s.book)
		if err != nil {
			return "", "", err
		}
		bookID = book.Identifier
	}
	return userID, bookID, nil
}

// List is a command to list loans or holds, all or for a person or a book: open ones
// or the selection of one of the filters.
type List[T any] struct {
	Nouns   string
	None    string // said if there are none, without a filter
	Filters []Filter
	Flags   func(cmd *cobra.Command) // more of them; nil for none
	Pages   func(ctx context.Context, c *client.Client, q ListQuery) iter.Seq2[client.Page[T], error]
	Sheet   func(q ListQuery) client.SheetQuery // for --csv
	Show    func(context.Context, *terminal.Terminal, *client.Client, iter.Seq2[T, error]) error
}

// Filter is a flag to select other records.
type Filter struct {
	Flag, Letter, Usage string
	State               string // to ask the service for
	None                string
}

// ListQuery selects the records to ask the service for.
type ListQuery struct {
	State, User, Book string
	Limit             int
}

// Command completes a command with texts.
func (l List[T]) Command(a *command.App, cmd *cobra.Command) *cobra.Command {
	var (
		scope Scope
		limit int
	)
	given := make([]bool, len(l.Filters))
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
	a.CSVFlag(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := command.CheckLimit(cmd, limit)
		first := slices.Index(given, true)
		if second := slices.Index(given[first+1:], true); first >= 0 && second >= 0 {
			problems.Add("--"+l.Filters[first].Flag, "cannot go with --"+l.Filters[first+1+second].Flag+"; they select other "+l.Nouns)
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
		if a.CSV {
			return a.PrintCSV(ctx, c, l.Sheet(q))
		}
		show := func(records iter.Seq2[T, error]) error { return l.Show(ctx, a.Term, c, records) }
		return command.List(a, l.Pages(ctx, c, q), show, l.Nouns, none)
	})
}

// Change is a command for changing loans or holds, one after the other.
type Change[T any] struct {
	Scope   *Scope
	Failure string // the end of the error after "2 of 3", if some fail
	Finder  func(ctx context.Context, a *command.App, c *client.Client, userID string) *Finder[T]
	Do      func(ctx context.Context, c *client.Client, record T) (T, error)
	Explain func(ctx context.Context, c *client.Client, k *Calendar, record T, err error) error
	Say     func(ctx context.Context, k *Calendar, after T) string
}

// Command completes a command with texts and flags.
func (ch Change[T]) Command(a *command.App, cmd *cobra.Command) *cobra.Command {
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error { return ch.Run(ctx, a, c, args) })
}

// Run changes the records with these names.
func (ch Change[T]) Run(ctx context.Context, a *command.App, c *client.Client, names []string) error {
	user, _, err := ch.Scope.Find(ctx, a, c)
	if err != nil {
		return err
	}
	finder, k := ch.Finder(ctx, a, c, user), NewCalendar(c)
	return command.Each(ctx, a, c, names, ch.Failure, func(name string) (T, error) {
		record, err := finder.Find(ctx, name)
		if err != nil {
			return record, err
		}
		after, err := ch.Do(ctx, c, record)
		if err != nil {
			return after, ch.Explain(ctx, c, k, record, err)
		}
		if a.Term.Interactive() {
			a.Say("%s", ch.Say(ctx, k, after))
		}
		return after, nil
	})
}
