package records

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/isbn"
	"example.org/library/search"
	"example.org/library/terminal"
)

// completeReaders offers people by name, for a flag.
func completeReaders(a *command.App) cobra.CompletionFunc {
	return a.Complete(command.AnyNumber, func(ctx context.Context, c *client.Client, _ []string, typed string) (all []cobra.Completion, _ error) {
		for r, err := range readersLike(ctx, c, client.ReaderQuery{Words: typed, Limit: command.MaxCompletions}) {
			if err != nil || len(all) == command.MaxCompletions {
				return all, err
			}
			if name := command.Continued(typed, r.FirstName+" "+r.LastName); name != "" {
				all = append(all, cobra.CompletionWithDesc(name, terminal.Clean(r.Card)))
			} else if card := command.Continued(typed, r.Card); card != "" && typed != "" {
				all = append(all, cobra.CompletionWithDesc(card, PersonName(r.Person)))
			}
		}
		return all, nil
	})
}

// CompleteTitles returns the titles beginning with the typed text, each once and
// without the arguments given already.
func CompleteTitles[T any](items []T, args []string, typed string, of func(T) (title, about string)) []cobra.Completion {
	var all []cobra.Completion
	seen := slices.Clone(args)
	for _, item := range items {
		title, about := of(item)
		if text := command.Continued(typed, title); text != "" && !slices.Contains(seen, text) {
			seen = append(seen, text)
			all = append(all, cobra.CompletionWithDesc(text, terminal.Clean(about)))
		}
	}
	return all
}

// CompleteSuggested offers values of one kind from the catalogue, as soon as enough is typed
// for a suggestion of the service.
func CompleteSuggested(a *command.App, kind string) cobra.CompletionFunc {
	return a.Complete(command.AnyNumber, func(ctx context.Context, c *client.Client, _ []string, typed string) (all []cobra.Completion, _ error) {
		if utf8.RuneCountInString(strings.TrimSpace(typed)) < search.MinSuggestible {
			return nil, nil
		}
		found, err := c.Suggestions(ctx, typed)
		for _, s := range found {
			if text := command.Continued(typed, s.Value); text != "" && s.Kind == kind {
				all = append(all, text)
			}
		}
		return all, err
	})
}

// BookChoice selects the books an argument can mean.
type BookChoice int

// The books to choose from.
const (
	AnyBook  BookChoice = iota
	FreeBook            // one to borrow now
	OwnBook             // one on loan to the caller
)

// CompleteBooks offers books by title, and by ISBN if digits are typed.
func CompleteBooks(a *command.App, many bool, which BookChoice) cobra.CompletionFunc {
	return a.Complete(many, func(ctx context.Context, c *client.Client, args []string, typed string) (all []cobra.Completion, _ error) {
		books, err := booksLike(ctx, c, which, typed)
		for _, b := range books {
			if text := bookCompletion(b, typed); text != "" && !slices.Contains(args, text) {
				all = append(all, cobra.CompletionWithDesc(text, command.CleanList(b.Authors)))
			}
		}
		return all, err
	})
}

func booksLike(ctx context.Context, c *client.Client, which BookChoice, typed string) ([]api.Book, error) {
	if which == OwnBook {
		page, err := c.MyBooks(ctx)
		return page.Items, err
	}
	query := client.BookQuery{Words: typed, Limit: command.MaxCompletions}
	if which == FreeBook {
		query.Available = new(true)
	}
	page, err := c.Books(ctx, query)
	return page.Items, err
}

// bookCompletion returns the title or the ISBN of a book, if it begins with the typed text, or "".
func bookCompletion(b api.Book, typed string) string {
	if title := command.Continued(typed, b.Title); title != "" || typed == "" {
		return title
	}
	if strings.HasPrefix(b.ISBN, typed) {
		return terminal.Clean(b.ISBN)
	}
	if key := isbn.Key(b.ISBN); strings.HasPrefix(key, typed) {
		return terminal.Clean(key)
	}
	return ""
}
