// Package stocktake implements 'library stocktake'.
package stocktake

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library stocktake'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "stocktake",
		Aliases: []string{"stocktakes"},
		Short:   "Compare the shelves with the records",
		Long: `Compare the shelves with the records: start a stocktake, scan everything on the
shelves, look at the rest, and close it. Lending goes on meanwhile. This is for
curators; admins may look.

A stocktake is named by its name or its identifier, or the beginning of that (four
characters or more). Without a name it is the one that is open.`,
	},
		newStart(a), newScan(a), newShow(a), newClose(a), newList(a), newDelete(a))
}

// find finds a stocktake by its name or identifier; "" is for the only open one.
func find(ctx context.Context, c *client.Client, name string) (api.Stocktake, error) {
	all, err := command.Collect(client.Items(c.StocktakePages(ctx, 0)))
	if err != nil {
		return api.Stocktake{}, err
	}
	var found []api.Stocktake
	for _, s := range all {
		start, isStart := library.ParseIDStart(name)
		if name == "" && s.State == api.StocktakeOpen || strings.EqualFold(s.Name, name) || isStart && strings.HasPrefix(s.Identifier, start) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return c.Stocktake(ctx, found[0].Identifier)
	case len(found) > 1:
		return api.Stocktake{}, command.Fail(command.ExitFailed, "There are several; name one by its identifier. 'library stocktake list' shows them.")
	case name == "":
		return api.Stocktake{}, command.Refusal(command.ExitNotFound, library.ErrStocktakeNotFound.Code, "No stocktake is open. 'library stocktake start NAME' starts one.")
	}
	return api.Stocktake{}, command.Refusal(command.ExitNotFound, library.ErrStocktakeNotFound.Code, "There is no stocktake %s. 'library stocktake list' shows them.", command.Quote(name))
}

// named returns the optional name among the arguments.
func named(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func newStart(a *command.App) *cobra.Command {
	var shelves []string
	cmd := &cobra.Command{
		Use:   "start NAME",
		Short: "Start a stocktake",
		Long: `Start a stocktake of some shelves, or of everything. The expected copies are fixed
now; what is lent or set aside is listed apart. In a pipe the identifier is printed.`,
		Example: `  library stocktake start "Summer 2026"
  library stocktake start Novels --shelf "B 7" --shelf "B 8"`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringArrayVar(&shelves, "shelf", nil, "only this shelf; may be repeated")
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		s, err := c.StartStocktake(ctx, client.StocktakeFields{Name: args[0], Shelves: shelves})
		if err != nil {
			return command.InWords(err, map[string]string{
				library.ErrStocktakeOpen.Code: "Another stocktake of these shelves is open. 'library stocktake list' shows it; close it first, or go on with it.",
			})
		}
		if s.Expected+s.Away == 0 {
			a.Message("No copy stands there. 'library copies all' shows the shelves, and 'library stocktake delete %s' takes it back.", s.Identifier)
		}
		return a.Added(s, s.Identifier, "Started %s: %s expected, %d lent or set aside.", command.Quote(s.Name), command.Count(s.Expected, "copy", "copies"), s.Away)
	})
}

func newClose(a *command.App) *cobra.Command {
	marks, yes := false, false
	cmd := &cobra.Command{
		Use:   "close [STOCKTAKE]",
		Short: "Close a stocktake",
		Long: `Close a stocktake. With --mark-missing, all copies that remain become missing; they
are lent again as soon as somebody scans them. A closed stocktake does not change
any more.`,
		Example: `  library stocktake close
  library stocktake close Novels --mark-missing --yes`,
		ValidArgsFunction: cobra.NoFileCompletions,
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	cmd.Flags().BoolVar(&marks, "mark-missing", false, "copies that remain become missing")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		s, err := find(ctx, c, named(args))
		if err != nil {
			return err
		}
		does := "nothing else changes"
		if marks {
			does = command.Count(s.Remaining, "copy becomes missing", "copies become missing")
		}
		if err := a.Confirm(ctx, yes, fmt.Sprintf("Close %s? %s remaining; %s.", command.Quote(s.Name), command.Count(s.Remaining, "copy is", "copies are"), does), "It stays open."); err != nil {
			return err
		}
		closed, err := c.CloseStocktake(ctx, s.Identifier, marks)
		if err != nil {
			return explain(s, err)
		}
		became := 0
		if closed.Marked != nil {
			became = *closed.Marked
		}
		return a.Changed(closed, "Closed %s: %s missing now.", command.Quote(s.Name), command.Count(became, "copy is", "copies are"))
	})
}

func explain(s api.Stocktake, err error) error {
	return command.InWords(err, map[string]string{library.ErrStocktakeClosed.Code: command.Quote(s.Name) + " is closed and does not change any more. 'library stocktake start NAME' starts another."})
}

func newDelete(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:               "delete STOCKTAKE",
		Short:             "Delete a stocktake",
		Long:              `Delete a stocktake with its scans. Copies that were marked as missing stay so.`,
		Example:           `  library stocktake delete "Summer 2026"`,
		ValidArgsFunction: cobra.NoFileCompletions,
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		s, err := find(ctx, c, args[0])
		if err != nil {
			return err
		}
		if err := a.Confirm(ctx, yes, "Delete "+command.Quote(s.Name)+" with its scans?", "It stays."); err != nil {
			return err
		}
		if err := c.DeleteStocktake(ctx, s.Identifier); err != nil {
			return err
		}
		a.Say("Deleted %s.", command.Quote(s.Name))
		return nil
	})
}

func newList(a *command.App) *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List stocktakes",
		Long: `List stocktakes, the newest first. In a pipe there is one line for each, with tabs
between identifier, name, state, expected and remaining copies.`,
		Example: "  library stocktake list",
	}
	command.LimitFlag(cmd, &limit)
	a.JSONFlag(cmd, "whole records")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return command.CheckLimit(cmd, limit).In(cmd) }
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		return command.List(a, c.StocktakePages(ctx, a.LimitOf(limit)), func(all iterOf[api.Stocktake]) error {
			return records.Show(ctx, a.Term, c, all, stocktakeCells, tableStocktakes)
		}, "stocktakes", "There are no stocktakes. 'library stocktake start NAME' starts one.")
	})
}

func stocktakeCells(_ context.Context, _ *records.Calendar, s api.Stocktake) []string {
	return []string{s.Identifier, s.Name, s.State, fmt.Sprint(s.Expected), fmt.Sprint(s.Remaining)}
}

func tableStocktakes(ctx context.Context, t *terminal.Terminal, _ *client.Client, k *records.Calendar, all []api.Stocktake) error {
	table := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "name", Give: 1, Style: terminal.Bold},
		terminal.Column{Title: "started"}, terminal.Column{Title: "state"}, terminal.Column{Title: "expected"}, terminal.Column{Title: "remaining"})
	for i, id := range command.IDs(t, all, func(s api.Stocktake) string { return s.Identifier }) {
		s := all[i]
		table.Cells(terminal.Cell{Text: id}, terminal.Cell{Text: s.Name}, terminal.Cell{Text: k.ShortDay(ctx, s.StartedAt)}, terminal.Cell{Text: s.State},
			terminal.Cell{Text: command.Thousands(s.Expected)}, terminal.Cell{Text: command.Thousands(s.Remaining)})
	}
	return table.Flush()
}
