package command

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/library/api"
	"example.org/library/terminal"
)

// Painted is text with colours of ours and without untrusted input.
type Painted string

// Say says something to a person at a terminal. It is not a result: in a pipe it is left out.
func (a *App) Say(format string, args ...any) {
	if a.Term.Interactive() {
		a.Message(format, args...)
	}
}

// Message says something to the person, in a pipe as well. Arguments may come from
// anywhere: they are cleaned of control characters for a terminal.
func (a *App) Message(format string, args ...any) {
	clean := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			clean[i] = terminal.CleanText(arg)
		case error:
			clean[i] = terminal.CleanText(arg.Error())
		default:
			clean[i] = arg
		}
	}
	a.Env.Message(fmt.Sprintf(format, clean...))
}

// narrowest is the least width for text; a narrower column is not worth the trouble.
const narrowest = 20

// Below returns a text for a column of the screen, with its further lines below the first.
func (a *App) Below(column int, text string) string {
	text = terminal.Hang(text, max(a.Term.Width()-column, narrowest))
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
}

// CleanLines cleans text on its way to Out, line by line: a character may come in two pieces.
type CleanLines struct {
	Out   io.Writer
	Clean func(string) string
	Begun []byte // a line without its end
}

func (w *CleanLines) Write(p []byte) (int, error) {
	w.Begun = append(w.Begun, p...)
	end := bytes.LastIndexByte(w.Begun, '\n') + 1
	_, err := io.WriteString(w.Out, w.Clean(string(w.Begun[:end])))
	w.Begun = append(w.Begun[:0], w.Begun[end:]...)
	return len(p), err
}

// SheetWidth is the width of the names of fields in a sheet.
const SheetWidth = 12

// PrintSheet shows one record at a terminal: a heading, and the facts with a value.
func (a *App) PrintSheet(title string, authors []string, facts []Fact) error {
	var sheet strings.Builder
	fmt.Fprintln(&sheet, a.Term.Paint(terminal.Bold, terminal.Wrap(terminal.Clean(title), a.Term.Width())))
	if len(authors) > 0 {
		fmt.Fprintln(&sheet, terminal.Wrap("by "+CleanList(authors), a.Term.Width()))
	}
	fmt.Fprintln(&sheet)
	for _, f := range facts {
		if f[1] != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", SheetWidth, f[0], a.Below(SheetWidth, terminal.Clean(f[1])))
		}
	}
	_, err := fmt.Fprint(a.Term.Out, sheet.String())
	return err
}

// Fact is a line about one thing: its name and its value.
type Fact [2]string

// PrintFacts prints facts: aligned for a person, tab-separated for a program.
func (a *App) PrintFacts(facts []Fact) error {
	if !a.Term.Interactive() {
		return Lines(a.Term, Sequence(facts), func(f Fact) []string { return f[:] })
	}
	width := 0
	for _, f := range facts {
		width = max(width, len(f[0]))
	}
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(a.Term.Paint(terminal.Dim, f[0]+strings.Repeat(" ", width-len(f[0]))) + "  " + a.Below(width+2, terminal.Clean(f[1])) + "\n")
	}
	_, err := a.Term.Out.Write([]byte(b.String()))
	return err
}

// PrintFields writes the fields with a value, one on a line.
func (a *App) PrintFields(fields []Fact) error {
	given := slices.DeleteFunc(fields, func(f Fact) bool { return f[1] == "" })
	return Lines(a.Term, Sequence(given), func(f Fact) []string { return f[:] })
}

// CleanList joins untrusted names to a list for a screen.
func CleanList(names []string) string { return terminal.Clean(strings.Join(names, ", ")) }

// Quantity returns a number with its unit: 1 day, 2 days, 1,200 days.
func Quantity(n int, unit string) string { return Count(n, unit, unit+"s") }

// Count is Quantity for a unit with its own plural: 1 copy, 2 copies.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Sentence cleans a text, and adds a full stop if there is none.
func Sentence(text string) string {
	text = terminal.Clean(text)
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// Capital makes the first letter a capital, for the beginning of a sentence.
func Capital(text string) string {
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// FullName returns the name of a user, fit for a screen.
func FullName(u api.User) string { return terminal.Clean(u.FirstName + " " + u.LastName) }

// Quote sets an untrusted name off from our own words.
func Quote(name string) string { return `"` + terminal.Clean(name) + `"` }

// Thousands writes a number as people read it: 1,234,567.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Duration returns a time span as a person says it.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "no longer"
	case d < 2*time.Minute:
		return Quantity(int(d.Round(time.Second)/time.Second), "second")
	case d < 2*time.Hour:
		return Quantity(int(d.Round(time.Minute)/time.Minute), "minute")
	case d < 48*time.Hour:
		return Quantity(int(d.Round(time.Hour)/time.Hour), "hour")
	}
	return Quantity(int(d.Round(24*time.Hour)/(24*time.Hour)), "day")
}

// languages are the names of the languages of the library.
var languages = map[string]string{"en": "English", "de": "German"}

// Language returns the name of a language, or the locale itself if the language is unknown.
func Language(locale string) string { return cmp.Or(languages[locale], locale) }
