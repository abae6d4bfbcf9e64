package account

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"example.org/library/cli/command"
	"example.org/library/terminal"
)

// ask asks the person for a line, which an interruption does not wait for.
func ask(ctx context.Context, a *command.App, question string) (string, error) {
	return command.Await(ctx, func() (string, error) { return a.Term.Ask(question) })
}

// askSecret asks the person for a line that is not shown. After an
// interruption the terminal shows again what is typed.
func askSecret(ctx context.Context, a *command.App, question string) (string, error) {
	if file := stdinTerminal(a); file != nil {
		if state, err := term.GetState(int(file.Fd())); err == nil {
			defer term.Restore(int(file.Fd()), state)
		}
	}
	return command.Await(ctx, func() (string, error) { return a.Term.AskSecret(question) })
}

// stdinTerminal is standard input if it is a terminal, else nil.
func stdinTerminal(a *command.App) *os.File {
	file, ok := a.Env.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// secretLine gets a secret: asked for at a terminal, else the first line of
// standard input.
func secretLine(ctx context.Context, a *command.App, question string) (string, error) {
	if a.Term.CanAsk() {
		return askSecret(ctx, a, question)
	}
	if stdinTerminal(a) != nil {
		return "", terminal.ErrNobodyThere // it would be shown while it is typed
	}
	return command.Await(ctx, func() (string, error) { return firstLine(a.Term.In) })
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
func clientSecret(ctx context.Context, a *command.App, path string) (string, error) {
	fromVariable, _ := a.Env.Lookup("LIBRARY_CLIENT_SECRET")
	switch {
	case path == "-":
		return command.Await(ctx, func() (string, error) { return firstLine(a.Term.In) })
	case path != "":
		file, err := command.OpenFile(ctx, path)
		if err != nil {
			return "", command.Fail(command.ExitUsage, "--secret-file cannot be read: %w", err)
		}
		defer file.Close()
		return firstLine(file)
	case fromVariable != "":
		return fromVariable, nil
	case a.Term.CanAsk():
		return askSecret(ctx, a, "Secret of the client (Enter if it has none): ")
	}
	return "", nil
}
