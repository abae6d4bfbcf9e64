package books

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
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

// showAnswers shows the answers of the sources: a sheet for each or, for programs in a pipe, lines.
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

// answerSheet returns the answer of one source as a sheet for people.
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

// sources holds a book put together from the answers of the sources: each field comes from
// the first source with a value for it.
type sources struct {
	book client.BookFields
	from []command.Fact // a source, and the fields from it
}

// putTogether joins the answers of the sources, without the fields given already. A volume
// belongs to a series, so both are from the same source.
func putTogether(answers []api.Lookup, given func(flag string) bool) (all sources) {
	series := -1 // index of the answer with the series
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

func (s sources) say(a *command.App) {
	for _, f := range s.from {
		a.Say("From %s: %s.", f[0], f[1])
	}
}

// scanOptions are the options of 'library books add' for many books.
type scanOptions struct {
	wanted, addCopy bool
}

func (o *scanOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.wanted, "scan", false, "read ISBNs, one on a line, and add the book of each")
	cmd.Flags().BoolVar(&o.addCopy, "add-copy", false, "with --scan, add another copy of a book that the library has already")
}

// check returns the problems of flags and arguments that cannot go with --scan.
func (o *scanOptions) check(in *input, args []string) (problems command.Problems) {
	if !o.wanted {
		if o.addCopy {
			problems.Add("--add-copy", "goes with --scan only; 'library copies add' adds a copy of one book")
		}
		return problems
	}
	for _, flag := range []string{"isbn", "title", "subtitle", "volume", "id", "barcode", "shelf", "editor", "file"} {
		if in.given(flag) {
			problems.Add("--"+flag, "cannot go with --scan, which is for many books")
		}
	}
	if len(args) > 0 {
		problems.Add(args[0], "cannot go with --scan, which reads the standard input")
	}
	if in.noLookup {
		problems.Add("--no-lookup", "cannot go with --scan: the titles come from other catalogues")
	}
	return problems
}

// scanner adds the book of each scanned ISBN.
type scanner struct {
	command.Scans
	in       *input
	options  scanOptions
	complete func(*client.BookFields)
	k        *records.Calendar

	added, copies, there int
}

func addScanned(ctx context.Context, a *command.App, c *client.Client, in *input, o scanOptions, complete func(*client.BookFields)) error {
	me, err := c.Me(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(me.Authorities, library.RoleCurator.Authority()) {
		return command.NotA(library.RoleCurator)
	}
	if !me.Lookup {
		return command.Refusal(command.ExitFailed, command.CodeLookupOff,
			"This library asks no other catalogues, so an ISBN is not enough to add a book. The people who run it can name some with --lookup.")
	}
	s := &scanner{Scans: command.Scans{App: a, Client: c}, in: in, options: o, complete: complete, k: records.NewCalendar(c)}
	s.Prompt = func() string { return "ISBN: " }
	s.Answer, s.Summary = s.scan, s.sum
	return s.Run(ctx)
}

func (s *scanner) sum() string {
	text := "Added " + command.Quantity(s.added, "book")
	if s.copies > 0 {
		text += " and " + command.Count(s.copies, "copy", "copies") + " of books that were there"
	}
	if s.there > 0 {
		text += "; " + command.Count(s.there, "was", "were") + " there already"
	}
	return text
}

func (s *scanner) scan(ctx context.Context, number string) (command.ScanAnswer, error) {
	key := isbn.Proven(number)
	if key == "" {
		return command.ScanAnswer{}, notISBN(number)
	}
	b, found, err := bookWithISBN(ctx, s.Client, key)
	switch {
	case err != nil:
		return command.ScanAnswer{}, err
	case found && s.options.addCopy:
		return s.addCopy(ctx, b)
	case found:
		s.there++
		return command.ScanAnswer{Book: &b, Message: fmt.Sprintf("%s is there already, with %s.", called(b), command.Count(b.Copies, "copy", "copies"))}, nil
	}
	return s.addBook(ctx, number, key)
}

func (s *scanner) addBook(ctx context.Context, number, key string) (command.ScanAnswer, error) {
	answers, err := s.Client.LookUp(ctx, key)
	switch {
	case command.HasCode(err, command.CodeUnknownISBN):
		return command.ScanAnswer{}, unknownISBN(number)
	case command.HasCode(err, command.CodeSourceFailed):
		return command.ScanAnswer{}, command.Refusal(command.ExitFailed, command.CodeSourceFailed, "A source did not answer about %s. Scan it again later.", number)
	case err != nil:
		return command.ScanAnswer{}, err
	}
	known := putTogether(answers, s.in.given)
	fields := s.in.over(known.book)
	fields.ISBN = number
	s.complete(&fields)
	b, err := s.Client.AddBook(ctx, fields)
	if err != nil {
		return command.ScanAnswer{}, records.ExplainBook(b, err)
	}
	s.added++
	return command.ScanAnswer{Book: &b, Message: "Added " + called(b) + "."}, nil
}

func (s *scanner) addCopy(ctx context.Context, b api.Book) (command.ScanAnswer, error) {
	added, err := s.Client.AddCopy(ctx, b.Identifier, client.CopyFields{})
	if err != nil {
		return command.ScanAnswer{}, records.ExplainBook(b, err)
	}
	s.copies++
	if b.Copies++; added.Hold == nil {
		b.Available++
	}
	text := fmt.Sprintf("Added a copy of %s, which has %s now.", called(b), command.Count(b.Copies, "copy", "copies"))
	if added.Hold != nil {
		text += " " + records.SetAside(ctx, s.k, *added.Hold) + "."
	}
	return command.ScanAnswer{Book: &b, Message: text}, nil
}

// called returns the title and the authors of a book, for a message.
func called(b api.Book) string {
	text := command.Quote(b.Title)
	if len(b.Authors) > 0 {
		text += " by " + strings.Join(b.Authors, ", ")
	}
	return text
}
