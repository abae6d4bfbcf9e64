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
	given                       func(flag string) bool
	barcode, shelf, note, state string
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVar(&in.barcode, "barcode", "", "barcode, as a scanner reads it")
	f.StringVar(&in.shelf, "shelf", "", "where it stands")
	f.StringVar(&in.note, "note", "", "what else there is to know of it")
	f.StringVar(&in.state, "state", "", "lendable, reference (stays in the library), damaged or lost; only lendable ones are lent")
	command.CompleteFlag(cmd, "state", copyStates...)
}

func (in *input) check() (problems command.Problems) {
	if in.given("state") && !slices.Contains(copyStates, in.state) {
		problems.AddChoice("--state", in.state, copyStates)
	}
	return problems
}

// over puts the fields that were given over those of a copy.
func (in *input) over(f client.CopyFields) client.CopyFields {
	if in.given("barcode") {
		f.Barcode = in.barcode
	}
	if in.given("shelf") {
		f.Shelf = in.shelf
	}
	if in.given("note") {
		f.Note = in.note
	}
	if in.given("state") {
		f.State = in.state
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
	ids := make([]string, len(copies))
	for i, c := range copies {
		ids[i] = c.Identifier
	}
	for i, id := range command.ShortIDs(ids) {
		c := copies[i]
		state := terminal.Cell{Text: c.State}
		if c.State != api.CopyLendable {
			state.Style = terminal.Yellow
		}
		where := terminal.Cell{Text: whereabouts(ctx, k, c)}
		if c.Loan != nil && c.Loan.Overdue {
			where.Style = terminal.Red
		}
		if err := table.Cells(terminal.Cell{Text: id}, terminal.Cell{Text: c.Barcode}, terminal.Cell{Text: c.Shelf}, state, where); err != nil {
			return err
		}
	}
	return table.Flush()
}

// lineCopies writes copies for programs, one on a line.
func lineCopies(ctx context.Context, t *terminal.Terminal, k *records.Calendar, copies []api.Copy) error {
	table := t.NewTable(make([]terminal.Column, 6)...)
	for _, c := range copies {
		if err := table.Row(c.Identifier, c.Barcode, c.Shelf, c.State, whereabouts(ctx, k, c), c.Note); err != nil {
			return err
		}
	}
	return table.Flush()
}

// explainCopy says what a refusal about a copy means.
func explainCopy(s records.BookCopy, barcode string, err error) error {
	switch {
	case command.HasCode(err, library.ErrBarcodeTaken.Code):
		return command.Fail(command.ExitConflict, "Another copy has the barcode %s. 'library copies edit %s' changes that one.", command.Quote(barcode), terminal.Clean(barcode))
	case command.HasCode(err, library.ErrCopyOnLoan.Code):
		return command.Fail(command.ExitConflict, "%s is lent, so it must be returned first. A copy that does not come back is marked with --state lost.", upperFirst(s.Name()))
	case command.HasCode(err, library.ErrTooManyCopies.Code):
		return command.Fail(command.ExitConflict, "%s has as many copies as a book can have. 'library copies remove' makes room.", command.Quote(s.Book.Title))
	case command.HasCode(err, library.ErrOutdated.Code):
		return command.Fail(command.ExitConflict, "Somebody else has changed %s in the meantime, so nothing was done. 'library copies list %s' shows how it is now.",
			s.Name(), command.Quote(s.Book.Title))
	case command.HasCode(err, library.ErrCopyNotFound.Code):
		return command.Fail(command.ExitNotFound, "%s is not there any more; somebody has removed it.", upperFirst(s.Name()))
	}
	return records.ExplainBook(s.Book, err)
}

// upperFirst begins a sentence.
func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
