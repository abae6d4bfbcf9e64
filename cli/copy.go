package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newCopies(a *app) *cobra.Command {
	return group(&cobra.Command{
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
		newCopyList(a), newCopyAdd(a), newCopyEdit(a), newCopyRemove(a))
}

// copyStates are what a copy can be.
var copyStates = []string{api.CopyLendable, api.CopyReference, api.CopyDamaged, api.CopyLost}

// shelved is a copy and the book that it is one of.
type shelved struct {
	api.Copy
	book api.Book
}

// name is what a person calls the copy, as far as that is known.
func (s shelved) name() string {
	name := "the copy"
	switch {
	case s.Barcode != "":
		name += " " + terminal.Clean(s.Barcode)
	case s.book.Title == "":
		name += " " + terminal.Clean(s.Identifier)
	}
	if s.book.Title != "" {
		name += " of " + quote(s.book.Title)
	}
	return name
}

// copyInput is a copy as flags give it.
type copyInput struct {
	given                       func(flag string) bool
	barcode, shelf, note, state string
}

func (in *copyInput) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVar(&in.barcode, "barcode", "", "barcode, as a scanner reads it")
	f.StringVar(&in.shelf, "shelf", "", "where it stands")
	f.StringVar(&in.note, "note", "", "what else there is to know of it")
	f.StringVar(&in.state, "state", "", "lendable, reference (stays in the library), damaged or lost; only lendable ones are lent")
	completeFlag(cmd, "state", copyStates...)
}

func (in *copyInput) check() (problems Problems) {
	if in.given("state") && !slices.Contains(copyStates, in.state) {
		problems.AddChoice("--state", in.state, copyStates)
	}
	return problems
}

// over puts the fields that were given over those of a copy.
func (in *copyInput) over(f client.CopyFields) client.CopyFields {
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
func (k *calendar) whereabouts(ctx context.Context, c api.Copy) string {
	switch {
	case c.Loan != nil && c.Loan.DueAt != "":
		return "lent to " + nameOf(c.Loan.User) + ", " + k.isDue(ctx, c.Loan.DueAt)
	case c.Loan != nil:
		return "lent to " + nameOf(c.Loan.User)
	case c.Hold != nil:
		return "set" + strings.TrimPrefix(setAside(ctx, k, *c.Hold), "Set")
	case c.State == api.CopyLendable:
		return "available"
	}
	return ""
}

// tableCopies shows copies, at a terminal and in a pipe.
func tableCopies(ctx context.Context, t *terminal.Terminal, k *calendar, copies []api.Copy) error {
	if !t.Interactive() {
		return lineCopies(ctx, t, k, copies)
	}
	table := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "barcode", Style: terminal.Bold},
		terminal.Column{Title: "shelf", Give: 3}, terminal.Column{Title: "state"}, terminal.Column{Title: "where", Give: 1})
	ids := make([]string, len(copies))
	for i, c := range copies {
		ids[i] = c.Identifier
	}
	for i, id := range shortIDs(ids) {
		c := copies[i]
		state := terminal.Cell{Text: c.State}
		if c.State != api.CopyLendable {
			state.Style = terminal.Yellow
		}
		where := terminal.Cell{Text: k.whereabouts(ctx, c)}
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
func lineCopies(ctx context.Context, t *terminal.Terminal, k *calendar, copies []api.Copy) error {
	table := t.NewTable(make([]terminal.Column, 6)...)
	for _, c := range copies {
		if err := table.Row(c.Identifier, c.Barcode, c.Shelf, c.State, k.whereabouts(ctx, c), c.Note); err != nil {
			return err
		}
	}
	return table.Flush()
}

// explainCopy says what a refusal about a copy means.
func explainCopy(s shelved, barcode string, err error) error {
	switch {
	case hasCode(err, library.ErrBarcodeTaken.Code):
		return fail(ExitConflict, "Another copy has the barcode %s. 'library copies edit %s' changes that one.", quote(barcode), terminal.Clean(barcode))
	case hasCode(err, library.ErrCopyOnLoan.Code):
		return fail(ExitConflict, "%s is lent, so it must be returned first. A copy that does not come back is marked with --state lost.", upperFirst(s.name()))
	case hasCode(err, library.ErrTooManyCopies.Code):
		return fail(ExitConflict, "%s has as many copies as a book can have. 'library copies remove' makes room.", quote(s.book.Title))
	case hasCode(err, library.ErrOutdated.Code):
		return fail(ExitConflict, "Somebody else has changed %s in the meantime, so nothing was done. 'library copies list %s' shows how it is now.",
			s.name(), quote(s.book.Title))
	case hasCode(err, library.ErrCopyNotFound.Code):
		return fail(ExitNotFound, "%s is not there any more; somebody has removed it.", upperFirst(s.name()))
	}
	return explainBook(s.book, err)
}

// upperFirst begins a sentence.
func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
