package records

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// ReaderFinder returns a finder for people as the desk knows them. Curators cannot list users, and
// admins cannot list readers: a caller without access to one of the lists gets the other.
func ReaderFinder(a *command.App, c *client.Client) *Finder[api.Reader] {
	return &Finder[api.Reader]{
		Noun: "reader",
		Hint: "Give the whole name, the e-mail address or the number of the card.",
		Sure: "the whole name, the e-mail address or the number of the card",
		ID:   func(r api.Reader) string { return r.Identifier },
		Names: func(r api.Reader) []string {
			return []string{r.FirstName + " " + r.LastName, r.LastName + ", " + r.FirstName, r.LastName + " " + r.FirstName}
		},
		// There is no call for one reader. A caller with an identifier knows the reader.
		Get: func(_ context.Context, id string) (api.Reader, error) {
			return api.Reader{Person: api.Person{Identifier: id}, Active: true}, nil
		},
		Number: func(ctx context.Context, name string) ([]api.Reader, error) { return ReadersByNumber(ctx, c, name) },
		Search: func(ctx context.Context, words string) iter.Seq2[api.Reader, error] {
			return readersLike(ctx, c, client.ReaderQuery{Words: words})
		},
		Near: func(ctx context.Context, _ string) iter.Seq2[api.Reader, error] {
			return readersLike(ctx, c, client.ReaderQuery{})
		},
		Offer: func(choices []api.Reader) error { return tableReaders(a.Screen(), choices) },

		NumberOnly: func(name string) bool { return strings.Contains(name, "@") },
	}
}

// ReadersByNumber finds the reader with a card or an e-mail address. The desk is
// shown no addresses, but a whole one finds its reader.
func ReadersByNumber(ctx context.Context, c *client.Client, number string) ([]api.Reader, error) {
	query := client.ReaderQuery{Card: number, Limit: MaxChoices}
	switch {
	case strings.Contains(number, "@"):
		query = client.ReaderQuery{Words: number, Limit: MaxChoices}
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

// usersInstead reads users. If the caller may not do this either, the error is the
// refusal to list readers.
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
		Person: api.Person{Identifier: u.Identifier, FirstName: u.FirstName, LastName: u.LastName}, Category: u.Category, Card: u.Card, Active: u.Active,
	}
}

func forbidden(err error) bool {
	refused, is := command.AsRefusal(err)
	return is && refused.Status == http.StatusForbidden
}

func tableReaders(t *terminal.Terminal, readers []api.Reader) error {
	table := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "name", Give: 2, Style: terminal.Bold}, terminal.Column{Title: "card", Give: 1})
	for i, id := range command.IDs(t, readers, func(r api.Reader) string { return r.Identifier }) {
		table.Row(id, PersonName(readers[i].Person), readers[i].Card)
	}
	return table.Flush()
}

// PersonName returns the full name of a person, fit for a screen.
func PersonName(p api.Person) string { return terminal.Clean(p.FirstName + " " + p.LastName) }

// NameOf returns the name of a person, "" if the person is forgotten.
func NameOf(p *api.Person) string {
	if p == nil {
		return ""
	}
	return PersonName(*p)
}
