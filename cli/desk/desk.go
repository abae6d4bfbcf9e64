// Package desk is 'library desk': lending and taking back with a scanner. Start
// reading at lendingDesk.scan, which answers a scan.
package desk

import (
	"context"
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
		Example: `  library desk lend
  library desk return
  library desk return < scans.txt`,
	},
		newLend(a), newReturn(a))
}

// session is a session at the desk: a line is scanned, and a line is answered.
type session struct {
	command.Scans
	a *command.App
	c *client.Client
	k *records.Calendar
}

func newSession(a *command.App, c *client.Client) session {
	return session{Scans: command.Scans{App: a, Client: c}, a: a, c: c, k: records.NewCalendar(c)}
}

// answer is what a scan has led to.
type answer = command.ScanAnswer

// run reads and answers until there is no more. Who may not see readers gets no further than
// the beginning. To them a code would be unknown that is a card, and a book free that is lent.
func (d *session) run(ctx context.Context) error {
	if _, err := d.c.Readers(ctx, client.ReaderQuery{Limit: 1}); err != nil {
		return err
	}
	return d.Run(ctx)
}

// isTyped reports whether a line can only have been typed. No scanner reads white
// space, and a slip of one must not be taken for a part of a name.
func isTyped(line string) bool { return strings.ContainsAny(line, " @") }

// bookNamed finds the book with a title. One that is a single word has to be whole: what
// looks like it may be a slip of the scanner.
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

// hasRefusal reports whether an error explains a refusal with this code.
func hasRefusal(err error, code string) bool { return err != nil && command.RefusalCode(err) == code }

// scanned asks what a code stands for. It is false if the library does not know
// the code, or if it cannot be one.
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
