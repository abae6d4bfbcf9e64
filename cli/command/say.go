package command

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.org/library/terminal"
)

// Painted is text with colours of ours and without untrusted input.
type Painted string

// Say says something to a person at a terminal. It is not a result: in a pipe it
// is left out.
func (a *App) Say(format string, args ...any) {
	if a.Term.Interactive() {
		a.Message(format, args...)
	}
}

// Message says something to the person, in a pipe as well. Arguments may come from
// anywhere: they are cleaned of what would command a terminal.
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

// narrowest is a column that is not worth the trouble.
const narrowest = 20

// Below is a text that begins at a column of the screen, and is continued below it.
func (a *App) Below(column int, text string) string {
	text = terminal.Hang(text, max(a.Term.Width()-column, narrowest))
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
}

// CleanLines cleans what is written, line by line: a character may come in two
// pieces.
type CleanLines struct {
	Out   io.Writer
	Clean func(string) string
	Begun []byte // a line that has no end yet
}

func (w *CleanLines) Write(p []byte) (int, error) {
	w.Begun = append(w.Begun, p...)
	end := bytes.LastIndexByte(w.Begun, '\n') + 1
	_, err := io.WriteString(w.Out, w.Clean(string(w.Begun[:end])))
	w.Begun = append(w.Begun[:0], w.Begun[end:]...)
	return len(p), err
}
