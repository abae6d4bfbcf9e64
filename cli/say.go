package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.org/library/terminal"
)

// painted is text with colours of ours and without untrusted input.
type painted string

// say tells a person something. It is not a result: in a pipe nobody hears it.
func (a *app) say(format string, args ...any) {
	if a.term.Interactive() {
		a.tell(format, args...)
	}
}

// tell says something to the person in any case, unlike say. What is put into
// our own words may come from anywhere.
func (a *app) tell(format string, args ...any) {
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
	a.env.message(fmt.Sprintf(format, clean...))
}

// narrowest is a column that is not worth the trouble.
const narrowest = 20

// below is a text that begins at a column of the screen, and is continued below it.
func (a *app) below(column int, text string) string {
	text = terminal.Hang(text, max(a.term.Width()-column, narrowest))
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
}

// cleanLines cleans what is written, line by line: a character may come in two
// pieces.
type cleanLines struct {
	out   io.Writer
	clean func(string) string
	begun []byte // a line that has no end yet
}

func (w *cleanLines) Write(p []byte) (int, error) {
	w.begun = append(w.begun, p...)
	end := bytes.LastIndexByte(w.begun, '\n') + 1
	_, err := io.WriteString(w.out, w.clean(string(w.begun[:end])))
	w.begun = append(w.begun[:0], w.begun[end:]...)
	return len(p), err
}
