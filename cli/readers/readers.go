// Package readers is 'library readers', people as the desk knows them.
package readers

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library readers'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "readers",
		Short: "See readers, and edit what the desk knows of them",
		Long: `See readers, and edit what the desk knows of them: the card, a note, and a block.
This is for curators; admins edit whole records with 'library users'.`,
	}, newShow(a), newEdit(a))
}

func newShow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show READER",
		Aliases: []string{"view"},
		Short:   "Show a reader",
		Long:    `Show a reader: the card, the loans, and what the desk has noted.`,
		Example: `  library readers show R0001
  library readers show "Bruce Wayne" --json`,
	}
	a.JSONFlag(cmd, "the whole record")
	return onReader(a, cmd, func(ctx context.Context, _ *client.Client, r api.Reader, _ client.Version) error {
		return a.Print(r, func() error {
			return a.PrintFacts([]command.Fact{
				{"Reader", records.PersonName(r.Person)}, {"Card", cmp.Or(r.Card, "none")}, {"Loans", strconv.Itoa(r.Loans)}, {"Overdue", strconv.Itoa(r.Overdue)},
				{"Block", cmp.Or(terminal.Clean(r.Block), "none")}, {"Note", cmp.Or(terminal.Clean(r.Note), "none")},
			})
		})
	})
}

func newEdit(a *command.App) *cobra.Command {
	flags := []string{"card", "note", "block"}
	var wanted client.ReaderFields
	cmd := &cobra.Command{
		Use:   "edit READER",
		Short: "Change the card, the note or the block of a reader",
		Long: `Change the card, the note or the block of a reader. What is not named stays as it
is. A reader with a block cannot borrow, renew or reserve. The note is shown at the
desk, and is in the reader's own export, as the law demands.`,
		Example: `  library readers edit R0001 --block "Two books are lost."
  library readers edit "Bruce Wayne" --block '' --note "Has paid for both."`,
	}
	f := cmd.Flags()
	f.StringVar(&wanted.Card, "card", "", "number of the library card; '' for none")
	f.StringVar(&wanted.Note, "note", "", "note for the desk; '' for none")
	f.StringVar(&wanted.Block, "block", "", "reason for lending nothing to the reader; '' for none")
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var problems command.Problems
		if !slices.ContainsFunc(flags, f.Changed) {
			problems.Add("", "nothing to change; say what with --card, --note or --block")
		}
		return problems.In(cmd)
	}
	return onReader(a, cmd, func(ctx context.Context, c *client.Client, r api.Reader, version client.Version) error {
		fields := client.ReaderFields{Card: r.Card, Note: r.Note, Block: r.Block}
		for flag, set := range map[string]func(){
			"card":  func() { fields.Card = wanted.Card },
			"note":  func() { fields.Note = wanted.Note },
			"block": func() { fields.Block = wanted.Block },
		} {
			if f.Changed(flag) {
				set()
			}
		}
		after, err := c.EditReader(ctx, r.Identifier, fields, version)
		if command.HasCode(err, library.ErrOutdated.Code) {
			return command.Fail(command.ExitConflict, "Somebody else has changed %s in the meantime, so nothing was done.", records.PersonName(r.Person))
		}
		if err != nil {
			return err
		}
		return a.Changed(after, "Changed %s.", records.PersonName(after.Person))
	})
}

// onReader completes a command about one reader.
func onReader(a *command.App, cmd *cobra.Command, do func(context.Context, *client.Client, api.Reader, client.Version) error) *cobra.Command {
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := records.ReaderFinder(a, c).Only(records.Called).Find(ctx, args[0])
		if err != nil {
			return err
		}
		r, version, err := c.Reader(ctx, found.Identifier)
		if err != nil {
			return err
		}
		return do(ctx, c, r, version)
	})
}
