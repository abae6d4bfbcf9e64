package records

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
)

// Scope narrows loans and holds to a person and a book.
type Scope struct{ user, book string }

// Flags adds --user and --book.
func (s *Scope) Flags(a *command.App, cmd *cobra.Command, nouns string) {
	s.UserFlag(a, cmd, nouns)
	cmd.Flags().StringVarP(&s.book, "book", "b", "", "only "+nouns+" of this book: title, ISBN or identifier")
	_ = cmd.RegisterFlagCompletionFunc("book", CompleteBooks(a, command.AnyNumber, AnyBook)) // fails only without the flag
}

// UserFlag adds --user.
func (s *Scope) UserFlag(a *command.App, cmd *cobra.Command, nouns string) {
	cmd.Flags().StringVarP(&s.user, "user", "u", "", "only "+nouns+" of this person: name, e-mail address, card or identifier")
	_ = cmd.RegisterFlagCompletionFunc("user", completeReaders(a)) // fails only without the flag
}

// Find turns the names into identifiers.
func (s *Scope) Find(ctx context.Context, a *command.App, c *client.Client) (userID, bookID string, err error) {
	if s.user != "" {
		reader, err := ReaderFinder(a, c).Find(ctx, s.user)
		if err != nil {
			return "", "", err
		}
		userID = reader.Identifier
	}
	if s.book != "" {
		book, err := BookFinder(a, c).Find(ctx, s.book)
		if err != nil {
			return "", "", err
		}
		bookID = book.Identifier
	}
	return userID, bookID, nil
}
