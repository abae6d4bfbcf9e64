package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// ErrNobodyThere is the error of a question without a person to answer it.
var ErrNobodyThere = errors.New("there is no terminal to ask at")

// Confirm asks a question to be answered with yes or no. Any answer but a clear yes means no.
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

// AskSecret asks for a line without showing it.
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

// readLine reads a line byte by byte: the bytes after it may be meant for another
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

// ErrInterrupted is the error if Ctrl-C ended another program, such as the editor.
var ErrInterrupted = errors.New("interrupted")

const exitInterrupted = 130 // of a shell after SIGINT ended its program

// Edit lets the person edit a text in their own editor: VISUAL, EDITOR, or vi.
// The file has the given name; its extension shows the editor the format. If the editor
// fails, Edit also returns the text written until then, "" if it was not changed.
func (t *Terminal) Edit(ctx context.Context, name, text string) (string, error) {
	if !t.CanAsk() {
		return "", ErrNobodyThere
	}
	dir, err := os.MkdirTemp("", "library-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	editor := cmp.Or(t.env("VISUAL"), t.env("EDITOR"), "vi")
	// Editors are set with arguments, such as "code --wait", and the shell splits them as the
	// person expects. The editor decides what Ctrl-C does, and the shell waits for it.
	cmd := exec.CommandContext(ctx, "sh", "-c", "trap : INT\n"+editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.in, t.Err, t.Err
	failed := cmd.Run()
	edited, err := os.ReadFile(path)
	if failed == nil {
		return string(edited), err
	}
	if string(edited) == text {
		edited = nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](failed); ok && exit.ExitCode() == exitInterrupted {
		return string(edited), ErrInterrupted
	}
	return string(edited), fmt.Errorf("the editor %s failed (%w); set EDITOR to another one", editor, failed)
}

// ErrNoBrowser is the error of Open if there is no browser.
var ErrNoBrowser = errors.New("there is no browser")

// Open opens an address in the person's browser: the one named in BROWSER, or the
// system's. It does not wait for the browser.
func (t *Terminal) Open(address string) error {
	path, args := t.findBrowser()
	if path == "" {
		return ErrNoBrowser
	}
	cmd := exec.Command(path, append(args, address)...)
	if err := cmd.Start(); err != nil {
		return ErrNoBrowser
	}
	go cmd.Wait() // the browser may run longer than we do
	return nil
}

// CanOpen reports whether there is a browser to open.
func (t *Terminal) CanOpen() bool {
	path, _ := t.findBrowser()
	return path != ""
}

// findBrowser returns the path of the browser and its arguments, "" if it is not there.
func (t *Terminal) findBrowser() (path string, args []string) {
	name, args := t.browser()
	path, err := exec.LookPath(name)
	if err != nil {
		return "", nil
	}
	return path, args
}

// browser returns the command for opening an address, "" if there is none.
func (t *Terminal) browser() (name string, args []string) {
	if given := strings.Fields(t.env("BROWSER")); len(given) > 0 {
		return given[0], given[1:]
	}
	if runtime.GOOS == "darwin" {
		return "open", nil
	}
	if t.env("DISPLAY") == "" && t.env("WAYLAND_DISPLAY") == "" {
		return "", nil // xdg-open would start a browser in the terminal, or none
	}
	return "xdg-open", nil
}
