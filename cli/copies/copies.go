// Package copies is 'library copies': a file for each command.
package copies

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library copies'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "copies",
		Aliases: []string{"copy"},
		Short:   "Look after the copies of books",
		Long: `Look after the copies of books: what stands on the shelf and is lent. Curators
and admins see them, curators change them.

A copy is named by its barcode or its identifier, or by its book if that has no
other copy. With --book it is also named by the beginning of its identifier (four
characters or more).`,
		Example: `  library copies list "Clean Code"
  library copies add "Clean Code" --barcode B-0002 --shelf "B 12"
  library copies edit B-0002 --state damaged --note "Cover torn"
  library copies remove B-0002`,
	},
		newList(a), newAdd(a), newEdit(a), newRemove(a))
}

// copyStates are what a copy can be.
var copyStates = []string{api.CopyLendable, api.CopyReference, api.CopyDamaged, api.CopyLost}

// input is a copy as flags give it.
type input struct {
	given  func(flag string) bool
	wanted client.CopyFields
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVar(&in.wanted.Barcode, "barcode", "", "barcode, as a scanner reads it")
	f.StringVar(&in.wanted.Shelf, "shelf", "", "where it stands")
	f.StringVar(&in.wanted.Note, "note", "", "what else there is to know of it")
	f.StringVar(&in.wanted.State, "state", "", "lendable, reference (stays in the library), damaged or lost; only lendable ones are lent")
	command.CompleteFlag(cmd, "state", copyStates...)
}

func (in *input) check() (problems command.Problems) {
	if in.given("state") && !slices.Contains(copyStates, in.wanted.State) {
		problems.AddChoice("--state", in.wanted.State, copyStates)
	}
	return problems
}

// fieldsOf are where a copy has what can be given of it, by flag.
func fieldsOf(f *client.CopyFields) map[string]*string {
	return map[string]*string{"barcode": &f.Barcode, "shelf": &f.Shelf, "note": &f.Note, "state": &f.State}
}

// over puts the fields that were given over those of a copy.
func (in *input) over(f client.CopyFields) client.CopyFields {
	wanted := fieldsOf(&in.wanted)
	for flag, field := range fieldsOf(&f) {
		if in.given(flag) {
			*field = *wanted[flag]
		}
	}
	return f
}

// whereabouts says where a copy is: with a reader, set aside or at its place.
func whereabouts(ctx context.Context, k *records.Calendar, c api.Copy) string {
	switch {
	case c.Loan != nil && c.Loan.DueAt != "":
		return "lent to " + records.NameOf(c.Loan.User) + ", " + k.IsDue(ctx, c.Loan.DueAt)
	case c.Loan != nil:
		return "lent to " + records.NameOf(c.Loan.User)
	case c.Hold != nil:
		return "set" + strings.TrimPrefix(records.SetAside(ctx, k, *c.Hold), "Set")
	case c.State == api.CopyLendable:
		return "available"
	}
	return ""
}

// tableCopies shows copies, at a terminal and in a pipe.
func tableCopies(ctx context.Context, t *terminal.Terminal, k *records.Calendar, copies []api.Copy) error {
	if !t.Interactive() {
		return lineCopies(ctx, t, k, copies)
	}
	table := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "barcode", Style: terminal.Bold},
		terminal.Column{Title: "shelf", Give: 3}, terminal.Column{Title: "state"}, terminal.Column{Title: "where", Give: 1})
	for i, id := range command.IDs(t, copies, func(c api.Copy) string { return c.Identifier }) {
		c := copies[i]
		state := terminal.Cell{Text: c.State}
		if c.State != api.CopyLendable {
			state.Style = terminal.Yellow
		}
		where := terminal.Cell{Text: whereabouts(ctx, k, c)}
		if c.Loan != nil && c.Loan.Overdue {
			where.Style = terminal.Red
		}
		table.Cells(terminal.Cell{Text: id}, terminal.Cell{Text: c.Barcode}, terminal.Cell{Text: c.Shelf}, state, where)
	}
	return table.Flush()
}

// lineCopies writes copies for programs, one on a line.
func lineCopies(ctx context.Context, t *terminal.Terminal, k *records.Calendar, copies []api.Copy) error {
	table := t.NewTable(make([]terminal.Column, 6)...)
	for _, c := range copies {
		table.Row(c.Identifier, c.Barcode, c.Shelf, c.State, whereabouts(ctx, k, c), c.Note)
	}
	return table.Flush()
}

// explainCopy says what a refusal about a copy means.
func explainCopy(s records.BookCopy, barcode string, err error) error {
	return records.ExplainBook(s.Book, command.InWords(err, map[string]string{
		library.ErrBarcodeTaken.Code:  "Another copy has the barcode " + command.Quote(barcode) + ". 'library copies edit " + terminal.Clean(barcode) + "' changes that one.",
		library.ErrCopyOnLoan.Code:    command.Capital(s.Name()) + " is lent, so it must be returned first. A copy that does not come back is marked with --state lost.",
		library.ErrTooManyCopies.Code: command.Quote(s.Book.Title) + " has as many copies as a book can have. 'library copies remove' makes room.",
		library.ErrOutdated.Code:      "Somebody else has changed " + s.Name() + " in the meantime, so nothing was done. 'library copies list " + command.Quote(s.Book.Title) + "' shows how it is now.",
		library.ErrCopyNotFound.Code:  command.Capital(s.Name()) + " is not there any more; somebody has removed it.",
	}))
}
