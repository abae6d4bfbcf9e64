package cli

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// readerFinder finds people as the desk knows them. Curators cannot list users,
// and admins cannot list readers: whoever asks is asked for what they may see.
func (a *app) readerFinder(c *client.Client) *finder[api.Reader] {
	return &finder[api.Reader]{
		noun: "reader",
		hint: "Give the whole name, the e-mail address or the number of the card.",
		sure: "the whole name, the e-mail address or the number of the card",
		id:   func(r api.Reader) string { return r.Identifier },
		names: func(r api.Reader) []string {
			return []string{r.FirstName + " " + r.LastName, r.LastName + ", " + r.FirstName, r.LastName + " " + r.FirstName}
		},
		// There is no call for one reader. Who has an identifier knows who it is.
		get: func(_ context.Context, id string) (api.Reader, error) {
			return api.Reader{Person: api.Person{Identifier: id}}, nil
		},
		number: func(ctx context.Context, name string) ([]api.Reader, error) { return readersByNumber(ctx, c, name) },
		search: func(ctx context.Context, words string) iter.Seq2[api.Reader, error] {
			return readersLike(ctx, c, client.ReaderQuery{Words: words})
		},
		near: func(ctx context.Context, _ string) iter.Seq2[api.Reader, error] {
			return readersLike(ctx, c, client.ReaderQuery{})
		},
		offer: func(choices []api.Reader) error { return tableReaders(a.screen(), choices) },

		numberOnly: func(name string) bool { return strings.Contains(name, "@") },
	}
}

// readersByNumber finds the reader with a card or an e-mail address. The desk is
// shown no addresses, but a whole one finds its reader.
func readersByNumber(ctx context.Context, c *client.Client, number string) ([]api.Reader, error) {
	query := client.ReaderQuery{Card: number, Limit: maxChoices}
	switch {
	case strings.Contains(number, "@"):
		query = client.ReaderQuery{Words: number, Limit: maxChoices}
	case !library.IsCode(number):
		return nil, nil
	}
	page, err := c.Readers(ctx, query)
	if !forbidden(err) {
		return page.Items, err
	}
	walked := 0
	for u, failed := range c.AllUsers(ctx, client.UserQuery{Words: query.Words}) {
		switch walked++; {
		case forbidden(failed):
			return nil, err
		case failed != nil:
			return nil, failed
		case u.Card == number, library.EmailKey(u.Email) == library.EmailKey(number):
			return []api.Reader{readerOf(u)}, nil
		case walked > maxWalked:
			return nil, nil
		}
	}
	return nil, nil
}

// readersLike reads readers or, where the caller may not, users.
func readersLike(ctx context.Context, c *client.Client, q client.ReaderQuery) iter.Seq2[api.Reader, error] {
	return func(yield func(api.Reader, error) bool) {
		for r, err := range c.AllReaders(ctx, q) {
			if forbidden(err) {
				usersInstead(ctx, c, q.Words, err, yield)
				return
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// usersInstead reads users. If the caller may not do that either, it is readers
// that they may not see.
func usersInstead(ctx context.Context, c *client.Client, words string, refused error, yield func(api.Reader, error) bool) {
	for u, err := range c.AllUsers(ctx, client.UserQuery{Words: words}) {
		if forbidden(err) {
			err = refused
		}
		if !yield(readerOf(u), err) {
			return
		}
	}
}

func readerOf(u api.User) api.Reader {
	return api.Reader{
		Person: api.Person{Identifier: u.Identifier, FirstName: u.FirstName, LastName: u.LastName}, Card: u.Card,
	}
}

func forbidden(err error) bool {
	refused, is := asRefusal(err)
	return is && refused.Status == http.StatusForbidden
}

// tableReaders shows the readers that a name could mean.
func tableReaders(t *terminal.Terminal, readers []api.Reader) error {
	ids := make([]string, len(readers))
	for i, r := range readers {
		ids[i] = r.Identifier
	}
	if t.Interactive() {
		ids = shortIDs(ids)
	}
	table := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "name", Give: 2, Style: terminal.Bold}, terminal.Column{Title: "card", Give: 1})
	for i, r := range readers {
		if err := table.Row(ids[i], personName(r.Person), r.Card); err != nil {
			return err
		}
	}
	return table.Flush()
}
