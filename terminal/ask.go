package terminal

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// ErrNobodyThere says that there is no person to answer a question.
var ErrNobodyThere = errors.New("there is no terminal to ask at")

// Confirm asks a question that is answered with yes or no. Every answer that is not
// a clear yes means no.
func (t *Terminal) Confirm(question string) (bool, error) {
	answer, err := t.Ask(question + " [y/N] ")
	if err != nil {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// Ask asks for a line.
func (t *Terminal) Ask(question string) (string, error) {
	if !t.CanAsk() {
		return "", ErrNobodyThere
	}
	fmt.Fprint(t.Err, Fit(t.Err, t.lookup, question))
	return readLine(t.in)
}

// AskSecret asks for a line that is not shown.
func (t *Terminal) AskSecret(question string) (string, error) {
	if !t.CanAsk() {
		return "", ErrNobodyThere
	}
	fmt.Fprint(t.Err, question)
	secret, err := term.ReadPassword(int(t.in.Fd()))
	fmt.Fprintln(t.Err)
	return string(secret), err
}

const maxLine = 4096

// readLine reads a line byte by byte: what comes after it may be meant for another
// reader of the same stream.
func readLine(r io.Reader) (string, error) {
	var line []byte
	var one [1]byte
	for len(line) < maxLine {
		n, err := r.Read(one[:])
		if n == 1 {
			if one[0] == '\n' {
				return strings.TrimSuffix(string(line), "\r"), nil
			}
			line = append(line, one[0])
		}
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				return string(line), nil
			}
			return "", err
		}
	}
	return "", errors.New("the line is too long")
}
