package books

import (
	"context"
	"errors"
	"os"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// writeBook lets the person write a book in the editor. The draft is the text as
// it was left.
func writeBook(ctx context.Context, a *command.App, f client.BookFields, done string) (fields client.BookFields, draft string, err error) {
	giveBack := a.Env.Interrupts.Lend()
	draft, err = a.Term.Edit(ctx, "book.txt", formatBook(f))
	giveBack()
	switch {
	case errors.Is(err, terminal.ErrNobodyThere):
		return f, "", command.Fail(command.ExitUsage, "There is no terminal for an editor. Give the book with --title and other flags, or as a file.")
	case errors.Is(err, terminal.ErrInterrupted):
		return f, "", keepDraft(a, draft, command.Fail(command.ExitInterrupted, "Nothing was %s: interrupted.", done))
	case err != nil:
		return f, "", keepDraft(a, draft, command.Fail(command.ExitFailed, "Nothing was %s: %w.", done, err))
	}
	fields, err = parseBook(draft)
	if err != nil {
		return fields, draft, keepDraft(a, draft, command.Fail(command.ExitFailed, "Nothing was %s: %w.", done, err))
	}
	fields.Identifier = f.Identifier
	if fields.Title == "" {
		err := command.Fail(command.ExitFailed, "Nothing was %s, because there is no title.", done)
		if draft != formatBook(f) {
			err = keepDraft(a, draft, err)
		}
		return fields, draft, err
	}
	return fields, draft, nil
}

// keepDraft saves what somebody has written from getting lost with an error.
func keepDraft(a *command.App, draft string, err error) error {
	if draft == "" || err == nil {
		return err
	}
	file, failed := os.CreateTemp("", "library-book-*.txt")
	if failed != nil {
		return err
	}
	_, failed = file.WriteString(draft)
	if closed := file.Close(); failed != nil || closed != nil {
		os.Remove(file.Name())
		return err
	}
	return &keptDraft{err, file.Name()}
}

// keptDraft is an error that did not cost the person what they had written.
type keptDraft struct {
	err  error
	path string
}

func (k *keptDraft) Error() string {
	return k.err.Error() + "\nWhat you wrote is in " + k.path + "; --file reads it again."
}

func (k *keptDraft) Unwrap() error { return k.err }

// InsteadOf says where the draft is when the person has stopped the program.
func (k *keptDraft) InsteadOf(err error) error { return &keptDraft{err, k.path} }
