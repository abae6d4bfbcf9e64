// Package terminal is the program's input and output: with a person at a terminal,
// or with a program in a pipe. It knows nothing of books.
//
//	Terminal   terminal.go   person or pipe, the width of the screen, colours
//	Table      table.go      a table that fits the screen; tab-separated in a pipe
//	Clean …    text.go       untrusted text, made harmless for a screen; lines broken between words
//	Confirm …  ask.go        questions, a text in the person's editor, an address in their browser
//	Progress   progress.go   the progress of long work
//
// Results go to Out, everything else to Err, so a pipe carries results alone.
// Start reading at [New].
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Options are the streams and settings of a terminal. New finds out from each
// stream itself whether it is a terminal.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Lookup  func(string) (string, bool) // environment variables
	NoColor bool                        // even if the environment allows colours
}

// Terminal holds the streams of the program, and knows whether a person or a program is at
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

// Paper returns a terminal with the same streams, for output on paper: it lays out
// tables as on a screen, also in a pipe, and does not colour results.
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

// screenWidth returns the width from COLUMNS, or asks the terminal.
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

// CanTell reports whether a person reads the messages besides the results.
func (t *Terminal) CanTell() bool { return t.errTTY }

// Width returns the number of columns of the screen.
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
