// Package terminal is the program's input and output: with a person at a terminal,
// or with a program in a pipe. It knows nothing of books.
//
//	Terminal   terminal.go   who is there, how wide the screen is, colours
//	Table      table.go      a table that fits the screen; tab-separated in a pipe
//	Clean      clean.go      untrusted text, made harmless for a screen
//	Confirm …  ask.go        questions: yes or no, a line, a secret
//	Edit       editor.go     a text in the person's own editor
//	Open       browser.go    an address in the person's own browser
//	Progress   progress.go   how far a long work is
//
// Results go to Out, everything else to Err, so that a pipe carries results
// alone. Start reading at [New].
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Options are what a terminal is made of. Whether a stream is a terminal is
// found out from the stream itself.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Lookup  func(string) (string, bool) // environment variables
	NoColor bool                        // whatever the environment says
}

// Terminal is the streams of the program, and what is known of the person or program at
// their other end.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	lookup         func(string) (string, bool)
	in             *os.File // nil unless it is a terminal
	outTTY, errTTY bool
	width          int
	color          bool // of Out
	errColor       bool
}

const (
	usualWidth = 80
	leastWidth = 20
)

// Paper is the same output for a person who reads it on paper: tables are laid out
// as on a screen, also in a pipe, and nothing is coloured.
func (t *Terminal) Paper() *Terminal {
	paper := *t
	paper.outTTY, paper.color, paper.width = true, false, usualWidth
	return &paper
}

// New finds out whether a person or a program is at the other end of each stream.
func New(o Options) *Terminal {
	t := &Terminal{In: o.In, Out: o.Out, Err: o.Err, lookup: o.Lookup, width: usualWidth}
	if file, is := asTerminal(o.In); is {
		t.in = file
	}
	out, outTTY := asTerminal(o.Out)
	_, t.errTTY = asTerminal(o.Err)
	t.outTTY = outTTY
	if outTTY {
		t.width = screenWidth(out, o.Lookup)
	}
	plain := o.NoColor || t.env("NO_COLOR") != "" || t.env("TERM") == "dumb"
	t.color, t.errColor = t.outTTY && !plain, t.errTTY && !plain
	return t
}

// asTerminal returns the file of a stream, and whether it is a terminal.
func asTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && file != nil && term.IsTerminal(int(file.Fd()))
}

// screenWidth asks the terminal, unless the person has said it.
func screenWidth(out *os.File, lookup func(string) (string, bool)) int {
	columns, _ := lookup("COLUMNS")
	width, err := strconv.Atoi(columns)
	if err != nil || width <= 0 {
		if width, _, err = term.GetSize(int(out.Fd())); err != nil || width <= 0 {
			width = usualWidth
		}
	}
	return max(width, leastWidth)
}

func (t *Terminal) env(name string) string {
	value, _ := t.lookup(name)
	return value
}

// Interactive reports whether a person reads the results.
func (t *Terminal) Interactive() bool { return t.outTTY }

// CanAsk reports whether a person can be asked something.
func (t *Terminal) CanAsk() bool { return t.in != nil && t.errTTY }

// CanTell reports whether a person reads what is said besides the results.
func (t *Terminal) CanTell() bool { return t.errTTY }

// Width is how many columns the screen has.
func (t *Terminal) Width() int { return t.width }

// A Style is a way to set text off. The zero Style does nothing.
type Style string

const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint sets text for Out off, where there are colours.
func (t *Terminal) Paint(s Style, text string) string { return paint(t.color, s, text) }

// PaintErr sets text for Err off, where there are colours.
func (t *Terminal) PaintErr(s Style, text string) string { return paint(t.errColor, s, text) }

func paint(color bool, s Style, text string) string {
	if !color || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
