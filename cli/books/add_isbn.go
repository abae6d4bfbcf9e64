package books

import (
	"context"
	"net/http"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/isbn"
)

// lookUp asks the sources of the library what they know of the book with the given ISBN. Where
// the book can be added without them, it is no error that they know nothing.
func (in *input) lookUp(ctx context.Context, a *command.App, c *client.Client) (sources, error) {
	number := in.fields.ISBN
	if !in.given("isbn") || in.noLookup || in.file != "" || isbn.Proven(number) == "" {
		return sources{}, nil
	}
	needed := !in.given("title") && !in.editor
	if needed {
		if err := refuseSecond(ctx, c, number); err != nil {
			return sources{}, err
		}
	}
	waiting := a.Term.NewWait("Asking other catalogues")
	answers, err := c.LookUp(ctx, isbn.Proven(number))
	waiting.Done()
	switch refused, is := command.AsRefusal(err); {
	case err == nil:
		return putTogether(answers, in.given), nil
	case !is || command.IsFinal(err):
		return sources{}, err
	case needed && refused.Code == command.CodeUnknownISBN:
		return sources{}, unknownISBN(number)
	case needed && refused.Code == command.CodeLookupOff:
		return sources{}, command.Refusal(command.ExitFailed, refused.Code, "This library asks no other catalogues about an ISBN, so --title is needed.")
	case needed:
		return sources{}, err
	case refused.Code == command.CodeUnknownISBN:
		a.Say("No source knows %s.", number)
	case refused.Status >= http.StatusInternalServerError:
		a.Message("Warning: %s Nothing is filled in.", command.Sentence(refused.Message))
	}
	return sources{}, nil
}

// refuseSecond refuses to add a book that the library has, for somebody who has said
// nothing of it but its ISBN.
func refuseSecond(ctx context.Context, c *client.Client, number string) error {
	b, found, err := bookWithISBN(ctx, c, number)
	if err != nil || !found {
		return err
	}
	return command.Fail(command.ExitConflict, "The library has %s already. 'library copies add %s' adds a copy.", command.Quote(b.Title), b.Identifier)
}

// bookWithISBN is the book of the library with an ISBN.
func bookWithISBN(ctx context.Context, c *client.Client, number string) (b api.Book, found bool, err error) {
	page, err := c.Books(ctx, client.BookQuery{ISBN: number, Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return b, false, err
	}
	return page.Items[0], true, nil
}
