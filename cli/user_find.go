package cli

import (
	"context"
	"iter"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
)

// userFinder finds users of the service.
func (a *app) userFinder(c *client.Client) *finder[api.User] {
	return &finder[api.User]{
		noun: "user",
		hint: "'library users list --search WORDS' looks for words.",
		sure: "the whole name, the e-mail address, the card or the identifier",
		id:   func(u api.User) string { return u.Identifier },
		names: func(u api.User) []string {
			return []string{userName(u), u.LastName + ", " + u.FirstName, u.LastName + " " + u.FirstName}
		},
		get: func(ctx context.Context, id string) (api.User, error) {
			user, _, err := c.User(ctx, id)
			return user, err
		},
		number: func(ctx context.Context, name string) ([]api.User, error) { return usersByEmail(ctx, c, name) },
		late:   func(ctx context.Context, name string) ([]api.User, error) { return usersByCard(ctx, c, name) },
		search: func(ctx context.Context, words string) iter.Seq2[api.User, error] {
			return c.AllUsers(ctx, client.UserQuery{Words: words})
		},
		near: func(ctx context.Context, _ string) iter.Seq2[api.User, error] {
			return c.AllUsers(ctx, client.UserQuery{})
		},
		offer: func(choices []api.User) error { return tableUsers(a.screen(), choices) },

		numberOnly: func(name string) bool { return strings.Contains(name, "@") },
	}
}

// usersByCard finds the user with a card. There is one at most.
func usersByCard(ctx context.Context, c *client.Client, card string) ([]api.User, error) {
	readers, err := readersByNumber(ctx, c, card)
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
		if seen++; seen > maxSearched {
			break
		}
	}
	return nil, nil
}
