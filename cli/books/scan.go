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
)

// scanOptions are those of 'library books add' for many books.
type scanOptions struct {
	wanted, addCopy bool
}

func (o *scanOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.wanted, "scan", false, "read ISBNs, one on a line, and add the book of each")
	cmd.Flags().BoolVar(&o.addCopy, "add-copy", false, "with --scan, add another copy of a book that the library has already")
}

// check says what cannot go with --scan.
func (o *scanOptions) check(in *input, args []string) (problems command.Problems) {
	if !o.wanted {
		if o.addCopy {
			problems.Add("--add-copy", "goes with --scan only; 'library copies add' adds a copy of one book")
		}
		return problems
	}
	for _, flag := range []string{"isbn", "title", "subtitle", "volume", "id", "editor", "file"} {
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

// scanner adds the book of each ISBN that is scanned.
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
		text += " and " + copiesInWords(s.copies) + " of books that were there"
	}
	if s.there == 1 {
		text += "; 1 was there already"
	} else if s.there > 1 {
		text += "; " + command.Thousands(s.there) + " were there already"
	}
	return text
}

// copiesInWords is a number of copies, as a person says it.
func copiesInWords(n int) string {
	if n == 1 {
		return "1 copy"
	}
	return command.Thousands(n) + " copies"
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
		return command.ScanAnswer{Book: &b, Message: fmt.Sprintf("%s is there already, with %s.", called(b), copiesInWords(b.Copies))}, nil
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

// addCopy adds a copy of a book that the library has.
func (s *scanner) addCopy(ctx context.Context, b api.Book) (command.ScanAnswer, error) {
	added, err := s.Client.AddCopy(ctx, b.Identifier, client.CopyFields{})
	if err != nil {
		return command.ScanAnswer{}, records.ExplainBook(b, err)
	}
	s.copies++
	if b.Copies++; added.Hold == nil {
		b.Available++
	}
	text := fmt.Sprintf("Added a copy of %s, which has %s now.", called(b), copiesInWords(b.Copies))
	if added.Hold != nil {
		text += " " + records.SetAside(ctx, s.k, *added.Hold) + "."
	}
	return command.ScanAnswer{Book: &b, Message: text}, nil
}

// called is a book in a line: its title and its authors.
func called(b api.Book) string {
	text := command.Quote(b.Title)
	if len(b.Authors) > 0 {
		text += " by " + strings.Join(b.Authors, ", ")
	}
	return text
}
