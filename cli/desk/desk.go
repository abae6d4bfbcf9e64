// Package desk is 'library desk': lending and taking back with a scanner. Start
// reading at session.run, which answers scan after scan.
package desk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	a       *command.App
	c       *client.Client
	k       *records.Calendar
	prompt  func() string
	answer  func(ctx context.Context, code string) (answer, error)
	summary func() string

	scans, failed int
	first         error // the first that failed
}

// answer is what a scan has led to, as --json prints it.
type answer struct {
	Code    string      `json:"code"`             // as it was scanned
	Reader  *api.Reader `json:"reader,omitempty"` // to whom is lent from now on
	Loan    *api.Loan   `json:"loan,omitempty"`   // that has begun or ended
	Message string      `json:"message"`
	Error   string      `json:"error,omitempty"` // code of a refusal, or codeFailed
}

// longestScan is what a line can have. What is longer was not scanned.
const longestScan = 4096

// run reads and answers until there is no more. A scan that fails does not stop
// the next; in a pipe, where nobody has seen it, it is the exit code.
func (d *session) run(ctx context.Context) error {
	// Who may not see readers gets no further than this. To them a code would be
	// unknown that is a card, and a book free that is lent.
	if _, err := d.c.Readers(ctx, client.ReaderQuery{Limit: 1}); err != nil {
		return err
	}
	lines := bufio.NewScanner(command.Interruptible{Ctx: ctx, In: d.a.Env.Stdin})
	lines.Buffer(make([]byte, 0, longestScan), longestScan)
	asking := d.a.Term.CanAsk()
	for {
		if asking {
			fmt.Fprint(d.a.Term.Err, terminal.Clean(d.prompt()))
		}
		if !lines.Scan() {
			break
		}
		code := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if code == "" {
			continue
		}
		if err := d.one(ctx, code); err != nil {
			return err
		}
	}
	if asking {
		fmt.Fprintln(d.a.Term.Err) // the prompt has no end
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = command.Fail(command.ExitFailed, "A line has more than %s characters; that was not scanned.", command.Thousands(longestScan))
		}
		return err
	}
	d.a.Message("%s", d.summary())
	if d.failed > 0 && !asking {
		return command.Fail(command.ExitCode(d.first), "%d of %d scans failed.", d.failed, d.scans)
	}
	return nil
}

// one answers a scan. The error is one that would befall all the others as well.
func (d *session) one(ctx context.Context, code string) error {
	d.scans++
	answer, err := d.answer(ctx, code)
	answer.Code = code
	if err == nil {
		return d.say(answer)
	}
	if ctx.Err() != nil || isFinal(err) {
		return err
	}
	answer.Error = command.RefusalCode(err)
	err = d.a.Explain(ctx, d.c, err)
	if d.failed++; d.first == nil {
		d.first = err
	}
	answer.Message = strings.Join(strings.Fields(err.Error()), " ") // one line
	if d.a.JSON {
		return d.say(answer)
	}
	if d.a.Term.CanAsk() {
		fmt.Fprint(d.a.Term.Err, "\a") // who scans looks at the books
	}
	d.a.Env.PrintError(errors.New(answer.Message))
	return nil
}

// say writes the answer to a scan.
func (d *session) say(answer answer) error {
	text := terminal.Fit(d.a.Term.Out, d.a.Env.Lookup, terminal.Clean(answer.Message))
	if d.a.JSON {
		line, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if text = string(line); d.a.Term.Interactive() {
			text = terminal.CleanJSON(text)
		}
	}
	_, err := fmt.Fprintln(d.a.Term.Out, text)
	return err
}

// isFinal reports whether an error is about who sits at the desk, and not about
// what was scanned.
func isFinal(err error) bool {
	refused, is := command.AsRefusal(err)
	return errors.Is(err, client.ErrSessionEnded) ||
		is && (refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden)
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

// summarized ends a session: "Lent 3 books to 2 readers; 1 scan failed."
func (d *session) summarized(text string) string {
	if d.failed > 0 {
		text += "; " + command.Quantity(d.failed, "scan") + " failed"
	}
	return text + "."
}
