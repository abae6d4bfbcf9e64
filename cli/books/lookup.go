package books

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/isbn"
	"example.org/library/terminal"
)

// NewLookup makes 'library lookup'.
func NewLookup(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lookup ISBN",
		Short: "Look a book up in other catalogues",
		Long: `Look a book up in the catalogues that the library asks, by its ISBN in any
spelling. This is for curators. What each of them knows is shown, in the order in
which the library trusts them. Nothing is added: 'library books add --isbn' does
that.

In a pipe there is one line for each value: the source, the field and the value,
with tabs between them.`,
		Example: `  library lookup 978-0-13-235088-4
  library lookup 0132350882 --json`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	a.JSONFlag(cmd, "the answer of each source")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		number := args[0]
		if isbn.Proven(number) == "" {
			return notISBN(number)
		}
		answers, err := c.LookUp(ctx, isbn.Proven(number))
		if command.HasCode(err, command.CodeUnknownISBN) {
			return unknownISBN(number)
		}
		if err != nil {
			return err
		}
		return a.Print(answers, func() error { return showAnswers(a, answers, number) })
	})
}

func notISBN(number string) error {
	return command.Fail(command.ExitFailed, "%s is not a valid ISBN.", command.Quote(number))
}

func unknownISBN(number string) error {
	return command.Refusal(command.ExitNotFound, command.CodeUnknownISBN,
		"No source knows %s. 'library books add --isbn %[1]s --title TITLE' adds it by hand.", terminal.Clean(number))
}

// showAnswers shows what sources know: a sheet of each, and lines for programs in a pipe.
func showAnswers(a *command.App, answers []api.Lookup, number string) error {
	if a.Term.Interactive() {
		for i, answer := range answers {
			if i > 0 {
				fmt.Fprintln(a.Term.Out)
			}
			if _, err := fmt.Fprint(a.Term.Out, answerSheet(a, answer)); err != nil {
				return err
			}
		}
		a.Say("\n'library books add --isbn %s' adds it.", number)
		return nil
	}
	table := a.Term.NewTable(terminal.Column{}, terminal.Column{}, terminal.Column{})
	for _, answer := range answers {
		for _, f := range fields {
			if value := f.joined(answer.Book); value != "" {
				table.Row(answer.Source, f.Name, value)
			}
		}
	}
	return table.Flush()
}

// answerSheet is the answer of one source for a person.
func answerSheet(a *command.App, answer api.Lookup) string {
	var sheet strings.Builder
	fmt.Fprintln(&sheet, a.Term.Paint(terminal.Dim, "From "+terminal.Clean(answer.Source)))
	sheet.WriteString(headOf(a, answer.Book) + "\n")
	for _, f := range fields {
		if value := f.joined(answer.Book); f.label != "" && value != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", command.SheetWidth, f.label, a.Below(command.SheetWidth, terminal.Clean(value)))
		}
	}
	return sheet.String() + describedBelow(a, answer.Book)
}

// sources are what the sources know of a book, put together: each field from the first
// of them that has it.
type sources struct {
	book client.BookFields
	from []command.Fact // a source, and the fields that are from it
}

// putTogether leaves out the fields that are given already. A volume is one of a series, so
// both are from the same source.
func putTogether(answers []api.Lookup, given func(flag string) bool) (all sources) {
	series := -1 // the answer that has given it
	for i, answer := range answers {
		var named []string
		for _, f := range fields {
			has, had := f.joined(answer.Book) != "", f.joined(all.book.BookFields) != ""
			if !has || had || given(f.flag) || f.Name == "volume" && series != i {
				continue
			}
			if f.Name == "series" {
				series = i
			}
			f.copy(&all.book.BookFields, &answer.Book)
			named = append(named, f.flag)
		}
		if len(named) > 0 {
			all.from = append(all.from, command.Fact{answer.Source, strings.Join(named, ", ")})
		}
	}
	return all
}

// say says what is from whom.
func (s sources) say(a *command.App) {
	for _, f := range s.from {
		a.Say("From %s: %s.", f[0], f[1])
	}
}
