// Package desk implements 'library desk': lending and taking back with a scanner.
// Start reading at lendingDesk.scan, which answers a scan.
package desk

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/isbn"
)

// New makes 'library desk'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "desk",
		Short: "Lend and take back at the desk, scan after scan",
		Long: `Lend and take back at the desk, scan after scan, until Ctrl-D. This is for
curators, with a scanner that types what it reads and presses the return key; a
person can type the same.`,
	},
		newLend(a), newReturn(a), newClass(a))
}

// session is a session at the desk: a scan is a line, and its answer is a line.
type session struct {
	command.Scans
	a *command.App
	c *client.Client
	k *records.Calendar

	offered []choice // by the answer to the scan before
}

// choice does something after a failed scan, if the person asks for it.
type choice func(context.Context) (answer, error)

// choosing answers a scan with scan, and a line of # and a number with the choice that the scan before
// has offered. No code has a # in it.
func (d *session) choosing(scan func(context.Context, string) (answer, error)) func(context.Context, string) (answer, error) {
	return func(ctx context.Context, line string) (answer, error) {
		number, is := strings.CutPrefix(line, "#")
		n, err := strconv.Atoi(cmp.Or(number, "1"))
		if !is || err != nil {
			d.offered = nil
			return scan(ctx, line)
		}
		switch {
		case len(d.offered) == 0:
			return answer{}, command.Fail(command.ExitFailed, "There is nothing to choose. Scan a barcode first.")
		case number == "" && len(d.offered) > 1, n < 1 || n > len(d.offered):
			return answer{}, command.Fail(command.ExitFailed, "Type #1 to #%d to choose.", len(d.offered))
		}
		chosen := d.offered[n-1]
		d.offered = nil
		return chosen(ctx)
	}
}

func newSession(a *command.App, c *client.Client) session {
	return session{Scans: command.Scans{App: a, Client: c}, a: a, c: c, k: records.NewCalendar(c)}
}

// answer is the result of a scan.
type answer = command.ScanAnswer

// run reads and answers scans until the input ends. It stops at the beginning if the person
// may not see readers: the library would not know a card then, and show a lent book as free.
func (d *session) run(ctx context.Context) error {
	if _, err := d.c.Readers(ctx, client.ReaderQuery{Limit: 1}); err != nil {
		return err
	}
	return d.Run(ctx)
}

// see tells the library that a scanned copy is here unless it is lent, and the person since when it was
// missing.
func (d *session) see(ctx context.Context, found api.Code) {
	if found.Copy == nil || found.Book == nil || found.Copy.Loan != nil {
		return
	}
	if seen, err := d.c.SeeCopy(ctx, found.Copy.Identifier); err == nil && seen.WasMissing {
		d.a.Message("%s was missing since %s.", command.Quote(found.Book.Title), d.k.Day(ctx, seen.MissingSince))
	}
}

// isTyped reports whether a line can only have been typed. No scanner reads white
// space, and a misread code must not be taken for a part of a name.
func isTyped(line string) bool { return strings.ContainsAny(line, " @") }

// bookNamed finds the book with a title. A title of a single word has to be whole: a part
// of one may be a misread code.
func (d *session) bookNamed(ctx context.Context, name string) (api.Book, error) {
	books := records.BookFinder(d.a, d.c)
	if isTyped(name) {
		return books.Only(records.Called).Find(ctx, name)
	}
	exact, _, _, err := books.ByWords(ctx, name)
	switch {
	case err != nil:
		return api.Book{}, err
	case len(exact.Found) == 0:
		return api.Book{}, command.Refusal(command.ExitNotFound, library.ErrUnknownCode.Code, "There is no book %s.", command.Quote(name))
	case len(exact.Found) > 1:
		return api.Book{}, books.Several(name, exact)
	}
	return exact.Found[0], nil
}

func hasRefusal(err error, code string) bool { return err != nil && command.RefusalCode(err) == code }

// scanned asks the library for the meaning of a code. It reports false if the
// library does not know the code, or if the text cannot be a code.
func (d *session) scanned(ctx context.Context, code string) (api.Code, bool, error) {
	if number, is := records.AsISBN(code); is && !library.IsCode(code) {
		code = isbn.Key(number)
	}
	if !library.IsCode(code) {
		return api.Code{}, false, nil
	}
	found, err := d.c.Code(ctx, code)
	if command.HasCode(err, library.ErrUnknownCode.Code) {
		return found, false, nil
	}
	return found, err == nil, err
}
