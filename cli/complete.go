package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Completion asks the service what could be meant. Whoever presses the tab key
// waits for it, so it gives up soon and says nothing of what went wrong.
const (
	completionTimeout = time.Second
	maxCompletions    = 500
)

// Which books an argument can mean.
type whichBooks int

const (
	anyBook whichBooks = iota
	freeBook
	ownBook
)

// How many arguments a command takes.
const (
	oneArgument = false
	anyNumber   = true
)

// completeFlag offers the values that a flag can have.
func completeFlag(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that is not there, and then the tests do, too.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeBooks offers books by title, and by ISBN to who types digits.
func (a *app) completeBooks(many bool, which whichBooks) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.complete(cmd.Context(), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			books, err := booksLike(ctx, c, which, typed)
			var all []cobra.Completion
			for _, b := range books {
				if text := bookCompletion(b, typed); text != "" && !slices.Contains(args, text) {
					all = append(all, cobra.CompletionWithDesc(text, terminal.Clean(strings.Join(b.Authors, ", "))))
				}
			}
			return all, err
		})
	}
}

func booksLike(ctx context.Context, c *client.Client, which whichBooks, typed string) ([]api.Book, error) {
	if which == ownBook {
		page, err := c.MyBooks(ctx)
		return page.Items, err
	}
	query := client.BookQuery{Words: typed, Limit: maxCompletions}
	if which == freeBook {
		free := true
		query.Available = &free
	}
	page, err := c.Books(ctx, query)
	return page.Items, err
}

// bookCompletion is the name of a book that begins as it was typed, or "".
func bookCompletion(b api.Book, typed string) string {
	if title := continued(typed, b.Title); title != "" || typed == "" {
		return title
	}
	if strings.HasPrefix(b.ISBN, typed) {
		return terminal.Clean(b.ISBN)
	}
	if key := library.ISBNKey(b.ISBN); strings.HasPrefix(key, typed) {
		return terminal.Clean(key)
	}
	return ""
}

// completeUsers offers users by name, and by e-mail address.
func completeUsers(a *app) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.complete(cmd.Context(), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			page, err := c.Users(ctx, client.UserQuery{Words: typed, Limit: maxCompletions})
			var all []cobra.Completion
			for _, u := range page.Items {
				if address := continued(typed, u.Email); address != "" {
					all = append(all, cobra.CompletionWithDesc(address, fullName(u)))
				} else if name := continued(typed, userName(u)); name != "" {
					all = append(all, cobra.CompletionWithDesc(name, terminal.Clean(u.Email)))
				}
			}
			return all, err
		})
	}
}

// continued is a name that goes on from what was typed, or "" if it does not.
// Shells compare letter by letter, we do not: what was typed stays as it is.
func continued(typed, name string) string {
	name = terminal.Clean(name)
	if strings.HasPrefix(name, typed) {
		return name
	}
	wanted := library.Fold(typed)
	for at := 0; at < len(name); {
		_, size := utf8.DecodeRuneInString(name[at:])
		at += size
		if library.Fold(name[:at]) == wanted {
			return typed + name[at:]
		}
	}
	return ""
}

// complete asks the service, quietly and for no longer than anybody waits for
// the tab key.
func (a *app) complete(ctx context.Context, ask func(context.Context, *client.Client) ([]cobra.Completion, error)) ([]cobra.Completion, cobra.ShellCompDirective) {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	a.term = terminal.New(terminal.Options{
		In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Lookup: a.env.Lookup,
	})
	c, err := a.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, err := ask(ctx, c)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
