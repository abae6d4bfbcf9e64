package stocktake

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newScan(a *command.App) *cobra.Command {
	in, shelf, move := "", "", false
	cmd := &cobra.Command{
		Use:   "scan [FILE]",
		Short: "Scan what stands on the shelves",
		Long: `Scan what stands on the shelves, until Ctrl-D. Each scan is answered with one line.
A FILE has one code on a line, as scanners with a memory write it: the code, or the
code and the time separated by a comma or a tab. Sending a file again does no harm.

--shelf says before which shelf you stand; copies of other shelves are named then,
and with --move they belong to this shelf from now on.`,
		Example: `  library stocktake scan --shelf "B 7"
  library stocktake scan scans.txt`,
	}
	cmd.Flags().StringVar(&in, "stocktake", "", "name or identifier (default: the one that is open)")
	cmd.Flags().StringVar(&shelf, "shelf", "", "the shelf before which you stand")
	cmd.Flags().BoolVar(&move, "move", false, "copies of other shelves belong here from now on")
	a.JSONFlag(cmd, "each answer on a line")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		s, err := find(ctx, c, in)
		if err != nil {
			return err
		}
		w := &walk{a: a, c: c, k: records.NewCalendar(c), in: s, fields: client.ScanFields{Shelf: shelf, Move: move}, counts: map[string]int{}}
		if len(args) > 0 {
			return w.file(ctx, args[0])
		}
		scans := command.Scans{App: a, Client: c, Prompt: func() string { return "Scan: " }, Answer: w.one, Summary: w.sum}
		return scans.Run(ctx)
	})
}

// walk is a walk along the shelves.
type walk struct {
	a      *command.App
	c      *client.Client
	k      *records.Calendar
	in     api.Stocktake
	fields client.ScanFields
	counts map[string]int
}

// one records a scan.
func (w *walk) one(ctx context.Context, line string) (command.ScanAnswer, error) {
	answers, err := w.send(ctx, []string{codeIn(line)})
	if err != nil || len(answers) != 1 {
		return command.ScanAnswer{}, err
	}
	return command.ScanAnswer{Scan: &answers[0], Message: w.say(ctx, answers[0])}, nil
}

func (w *walk) send(ctx context.Context, codes []string) ([]api.Scan, error) {
	f := w.fields
	f.Codes = codes
	answers, err := w.c.ScanInStocktake(ctx, w.in.Identifier, f)
	for _, s := range answers {
		w.counts[s.Outcome]++
	}
	return answers, explain(w.in, err)
}

// atOnce is how many codes of a file go with one request.
const atOnce = 200

// file records the scans of a file, and says what needs a hand.
func (w *walk) file(ctx context.Context, path string) error {
	in, err := w.a.OpenInput(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	codes, err := codesIn(in)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(codes, atOnce) {
		answers, err := w.send(ctx, some)
		if err != nil {
			return err
		}
		for _, s := range answers {
			switch {
			case w.a.JSON:
				err = w.a.PrintJSON(s)
			case s.Outcome != api.OutcomeFound && s.Outcome != api.OutcomeAgain:
				_, err = fmt.Fprintln(w.a.Term.Out, terminal.Clean(*s.Code+": "+w.say(ctx, s)))
			}
			if err != nil {
				return err
			}
		}
	}
	w.a.Message("%s.", w.sum())
	return nil
}

// codesIn reads the codes of a file.
func codesIn(in io.Reader) (codes []string, err error) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if code := codeIn(strings.TrimPrefix(lines.Text(), "\ufeff")); code != "" {
			codes = append(codes, code)
		}
	}
	return codes, lines.Err()
}

// codeIn returns the code of a line: without the time that a scanner may have written behind a comma or a tab.
func codeIn(line string) string {
	code, _, isTab := strings.Cut(line, "\t")
	if !isTab {
		if before, rest, _ := strings.Cut(line, ","); isTime(rest) {
			code = before
		}
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(code), `"`))
}

// isTime reports whether a text looks like a time: digits, and marks between them.
func isTime(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsAny(text, ":/.-") && strings.Trim(text, `0123456789:/.-+,TZ "APMapm`) == ""
}

// say answers a scan in words.
func (w *walk) say(ctx context.Context, s api.Scan) string {
	if s.Copy == nil {
		if len(s.Books) > 0 {
			return "This is the ISBN of " + command.Quote(s.Books[0].Title) + ", not the barcode of a copy."
		}
		return "No copy has this code."
	}
	title := command.Quote(titleOf(*s.Copy))
	switch s.Outcome {
	case api.OutcomeFound:
		return title + " is in its place."
	case api.OutcomeAgain:
		return title + " was scanned before."
	case api.OutcomeElsewhere:
		if w.fields.Move {
			return title + " belongs to " + s.Copy.Shelf + " from now on."
		}
		if s.Shelf == "" {
			return title + " has no shelf in the records."
		}
		return title + " belongs to " + s.Shelf + "."
	case api.OutcomeLent:
		text := title + " is lent by the records"
		if s.Copy.Loan != nil {
			text += " to " + records.NameOf(s.Copy.Loan.User)
		}
		return text + ". 'library desk return' takes it back."
	case api.OutcomeSetAside:
		return title + " is set aside. Take it to the desk."
	case api.OutcomeWasMissing:
		return title + " was missing since " + w.k.Day(ctx, s.MissingSince) + "."
	}
	return title + " was not expected: it is " + s.Copy.State + "."
}

// sum returns how many scans there were of each outcome.
func (w *walk) sum() string {
	all := 0
	var parts []string
	for _, o := range append(outcomes, struct{ name, words string }{api.OutcomeAgain, "scanned before"}) {
		n := w.counts[o.name]
		if all += n; n > 0 {
			parts = append(parts, command.Thousands(n)+" "+o.words)
		}
	}
	text := command.Quantity(all, "scan")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
