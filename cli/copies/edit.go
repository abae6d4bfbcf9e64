package copies

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

var clearable = []string{"barcode", "shelf", "note"}

func newEdit(a *command.App) *cobra.Command {
	in, book, clear := &input{}, "", []string{}
	cmd := &cobra.Command{
		Use:   "edit COPY",
		Short: "Change a copy of a book",
		Long: `Change a copy of a book. What is not named stays as it is.

A copy that is lent can be marked lost or damaged: the loan goes on, and when it
has ended the copy is not lent again.`,
		Example: `  library copies edit "Clean Code" --barcode B-0001 --shelf "B 12"
  library copies edit B-0001 --state lost
  library copies edit 4f1d --book "Clean Code" --clear note`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	in.flags(cmd)
	cmd.Flags().StringSliceVar(&clear, "clear", nil, "empty a field: barcode, shelf or note")
	command.CompleteFlag(cmd, "clear", clearable...)
	copyBookFlag(a, cmd, &book)
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return in.checkEdit(cmd, clear) }
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, version, err := findCopy(ctx, a, c, args[0], book, false)
		if err != nil {
			return err
		}
		fields := in.over(client.CopyFieldsOf(found.Copy))
		for _, name := range clear {
			*fieldsOf(&fields)[name] = ""
		}
		after, err := c.EditCopy(ctx, found.Identifier, fields, version)
		if err != nil {
			return explainCopy(found, fields.Barcode, err)
		}
		found.Copy = after
		return a.Changed(after, "Changed %s.", found.Name())
	})
}

func (in *input) checkEdit(cmd *cobra.Command, clear []string) error {
	problems := in.check()
	for _, field := range clear {
		switch {
		case !slices.Contains(clearable, field):
			problems.AddChoice("--clear", field, clearable)
		case in.given(field):
			problems.Add("--clear "+field, "cannot go with --"+field)
		}
	}
	if len(clear) == 0 && !slices.ContainsFunc([]string{"barcode", "shelf", "note", "state"}, in.given) {
		problems.Add("", "nothing to change; say what with --barcode, --shelf, --note, --state or --clear")
	}
	return problems.In(cmd)
}
