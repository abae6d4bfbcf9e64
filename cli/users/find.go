package users

import (
	"context"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func userFinder(a *command.App, c *client.Client) *records.Finder[api.User] {
	return &records.Finder[api.User]{
		Noun: "user",
		Hint: "'library users list --search WORDS' looks for words.",
		Sure: "the whole name, the e-mail address, the card or the identifier",
		ID:   func(u api.User) string { return u.Identifier },
		Names: func(u api.User) []string {
			return []string{userName(u), u.LastName + ", " + u.FirstName, u.LastName + " " + u.FirstName}
		},
		Get: func(ctx context.Context, id string) (api.User, error) {
			user, _, err := c.User(ctx, id)
			return user, err
		},
		Number: func(ctx context.Context, name string) ([]api.User, error) { return usersByEmail(ctx, c, name) },
		Late:   func(ctx context.Context, name string) ([]api.User, error) { return usersByCard(ctx, c, name) },
		Search: func(ctx context.Context, words string) iter.Seq2[api.User, error] {
			return c.AllUsers(ctx, client.UserQuery{Words: words})
		},
		Near: func(ctx context.Context, _ string) iter.Seq2[api.User, error] {
			return c.AllUsers(ctx, client.UserQuery{})
		},
		Offer: func(choices []api.User) error { return tableUsers(a.Screen(), choices) },

		NumberOnly: func(name string) bool { return strings.Contains(name, "@") },
	}
}

// onUser makes a command for the user named by its first argument.
func onUser(a *command.App, cmd *cobra.Command, how records.Precision, run func(ctx context.Context, c *client.Client, u api.User) error) *cobra.Command {
	cmd.ValidArgsFunction = completeUsers(a)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		u, err := userFinder(a, c).Only(how).Find(ctx, args[0])
		if err != nil {
			return err
		}
		return run(ctx, c, u)
	})
}

// usersByCard finds the user with a card. There is one at most.
func usersByCard(ctx context.Context, c *client.Client, card string) ([]api.User, error) {
	readers, err := records.ReadersByNumber(ctx, c, card)
	if err != nil || len(readers) != 1 {
		return nil, err
	}
	user, _, err := c.User(ctx, readers[0].Identifier)
	return []api.User{user}, err
}

// usersByEmail finds the user with an e-mail address. There is one at most.
func usersByEmail(ctx context.Context, c *client.Client, address string) ([]api.User, error) {
	if !strings.Contains(address, "@") {
		return nil, nil
	}
	seen := 0
	for user, err := range c.AllUsers(ctx, client.UserQuery{Words: address}) {
		if err != nil {
			return nil, err
		}
		if library.EmailKey(user.Email) == library.EmailKey(address) {
			return []api.User{user}, nil
		}
		if seen++; seen > records.MaxSearched {
			break
		}
	}
	return nil, nil
}

// completeUsers offers users by name, and by e-mail address.
func completeUsers(a *command.App) cobra.CompletionFunc {
	return a.Complete(command.OneArgument, func(ctx context.Context, c *client.Client, _ []string, typed string) (all []cobra.Completion, _ error) {
		page, err := c.Users(ctx, client.UserQuery{Words: typed, Limit: command.MaxCompletions})
		for _, u := range page.Items {
			if address := command.Continued(typed, u.Email); address != "" {
				all = append(all, cobra.CompletionWithDesc(address, command.FullName(u)))
			} else if name := command.Continued(typed, userName(u)); name != "" {
				all = append(all, cobra.CompletionWithDesc(name, terminal.Clean(u.Email)))
			}
		}
		return all, err
	})
}
