package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"example.org/library/terminal"
)

// ask asks the person for a line, which an interruption does not wait for.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	return await(ctx, func() (string, error) { return a.term.Ask(question) })
}

// askSecret asks the person for a line that is not shown. Whoever interrupts
// gets a terminal back that shows what is typed.
func (a *app) askSecret(ctx context.Context, question string) (string, error) {
	if file := a.stdinTerminal(); file != nil {
		if state, err := term.GetState(int(file.Fd())); err == nil {
			defer term.Restore(int(file.Fd()), state)
		}
	}
	return await(ctx, func() (string, error) { return a.term.AskSecret(question) })
}

func await(ctx context.Context, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := ask()
		answered <- answer{text, err}
	}()
	select {
	case got := <-answered:
		return got.text, got.err
	case <-ctx.Done():
		return "", Interrupted(ctx, "")
	}
}

// stdinTerminal is standard input if it is a terminal, else nil.
func (a *app) stdinTerminal() *os.File {
	file, ok := a.env.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// secretLine gets a secret: asked for at a terminal, else the first line of
// standard input.
func (a *app) secretLine(ctx context.Context, question string) (string, error) {
	if a.term.CanAsk() {
		return a.askSecret(ctx, question)
	}
	if a.stdinTerminal() != nil {
		return "", terminal.ErrNobodyThere // it would be shown while it is typed
	}
	return await(ctx, func() (string, error) { return firstLine(a.term.In) })
}

const maxSecret = 4096

var errLongSecret = errors.New("the secret is too long")

// firstLine reads what there is up to the first line break.
func firstLine(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if len(line) > maxSecret {
		return "", errLongSecret
	}
	return strings.TrimSuffix(line, "\r"), nil
}

// clientSecret finds the secret of a client: in a file, in the environment, or
// by asking. It is never the value of a flag, which every user of the machine
// could read in the list of processes.
func (a *app) clientSecret(ctx context.Context, path string) (string, error) {
	fromVariable, _ := a.env.Lookup("LIBRARY_CLIENT_SECRET")
	switch {
	case path == "-":
		return await(ctx, func() (string, error) { return firstLine(a.term.In) })
	case path != "":
		file, err := openFile(ctx, path)
		if err != nil {
			return "", fail(ExitUsage, "--secret-file cannot be read: %w", err)
		}
		defer file.Close()
		return firstLine(file)
	case fromVariable != "":
		return fromVariable, nil
	case a.term.CanAsk():
		return a.askSecret(ctx, "Secret of the client (Enter if it has none): ")
	}
	return "", nil
}
