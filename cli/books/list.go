package books

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
)

// listOptions holds the flags of `library books list`.
type listOptions struct {
	search, author, isbn string
	language, series     string
	kind                 string
	subjects             []string
	from, to             int
	available, mine      bool
	exact                bool
	sort                 string
	limit                int
}

var bookOrders = []string{"title", "-title", "created", "-created", "published", "-published", "relevance"}

func newList(a *command.App) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:        "list",
		Aliases:    []string{"ls"},
		SuggestFor: []string{"search", "find"},
		Short:      "List books",
		Long: `List books, ordered by title, or by how well they fit what you search for.

At a terminal it also says when books on loan are due, and how many copies are
available where a book has several. In a pipe there is one line for each book,
with tabs between identifier, title, authors, ISBN and status.`,
		Example: `  library books list
  library books list --search "design pattern" --available
  library books list --subject "science fiction" --language en --from 1950 --sort -published
  library books list --mine --json`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.search, "search", "s", "", "only books with words that begin with these, in title, authors, series, subjects, publisher, description or ISBN")
	f.BoolVar(&o.exact, "exact", false, "search for the words as they are, although no book has them: misspelt ones are corrected otherwise")
	f.StringVar(&o.author, "author", "", "only books with an author of this name")
	f.StringVar(&o.isbn, "isbn", "", "only the book with this ISBN, in any spelling")
	f.StringArrayVar(&o.subjects, "subject", nil, "only books with this subject; repeat it for several that they all have")
	f.StringVar(&o.language, "language", "", "only books in this language, a code of two or three letters such as en")
	f.StringVar(&o.kind, "kind", "", "only books of this kind, such as film")
	command.CompleteFlag(cmd, "kind", library.BookKinds...)
	f.StringVar(&o.series, "series", "", "only books of this series")
	f.IntVar(&o.from, "from", 0, "only books that were published in this year or later")
	f.IntVar(&o.to, "to", 0, "only books that were published in this year or before")
	f.BoolVarP(&o.available, "available", "a", false, "only books that can be borrowed now")
	f.BoolVarP(&o.mine, "mine", "m", false, "only books that you have now")
	f.StringVar(&o.sort, "sort", "", "order: title, created or published, with - before it the other way round, so that -created is the newest first; or relevance, which is the order of a --search if you choose none")
	command.LimitFlag(cmd, &o.limit)
	a.JSONFlag(cmd, "whole records")
	command.CompleteFlag(cmd, "sort", bookOrders...)
	for flag, kind := range map[string]string{"search": "title", "author": "author", "series": "series", "subject": "subject"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, records.CompleteSuggested(a, kind)) // fails only without the flag
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error { return o.run(ctx, a, c) })
}

func (o *listOptions) check(cmd *cobra.Command) error {
	problems := command.CheckLimit(cmd, o.limit)
	problems.CheckChoice("--sort", o.sort, bookOrders)
	problems.CheckChoice("--kind", o.kind, library.BookKinds)
	for _, year := range []struct {
		flag  string
		value int
	}{{"from", o.from}, {"to", o.to}} {
		if cmd.Flags().Changed(year.flag) && (year.value < 1 || year.value > library.MaxYear) {
			problems.Add("--"+year.flag, fmt.Sprintf("is %d; it must be a year from 1 to %d", year.value, library.MaxYear))
		}
	}
	if o.language != "" && library.LanguageCode(o.language) == "" {
		problems.Add("--language", fmt.Sprintf("is %q; it must be a language of ISO 639, such as en or deu", o.language))
	}
	if o.mine && o.available {
		problems.Add("--mine", "cannot go with --available: what you have is not free")
	}
	if o.sort == "relevance" && strings.TrimSpace(o.search) == "" {
		problems.Add("--sort", "can be relevance only with --search")
	}
	if o.mine && o.sort != "" {
		problems.Add("--mine", "cannot go with --sort")
	}
	return problems.In(cmd)
}

func (o *listOptions) run(ctx context.Context, a *command.App, c *client.Client) error {
	show := func(books iter.Seq2[api.Book, error]) error {
		return records.ListBooks(ctx, a.Term, records.NewCalendar(c), books)
	}
	return command.List(a, o.pages(ctx, a, c, a.LimitOf(o.limit)), show, "books", o.none())
}

// none returns the message for an empty list, with advice if there is any.
func (o *listOptions) none() string {
	switch {
	case o.mine && !o.narrows():
		return "You have no books at the moment. 'library books list --available' shows what is free."
	case o.narrows():
		return "No book matches."
	}
	return "There are no books yet. 'library books add' adds one."
}

func (o *listOptions) narrows() bool { return o.search != "" || o.filters() }

// filters reports whether a flag besides --search leaves out books.
func (o *listOptions) filters() bool {
	return o.available || o.author != "" || o.isbn != "" || o.language != "" || o.kind != "" || o.series != "" || len(o.subjects) > 0 || o.from > 0 || o.to > 0
}

// pages returns the wanted books, page by page.
func (o *listOptions) pages(ctx context.Context, a *command.App, c *client.Client, limit int) iter.Seq2[client.Page[api.Book], error] {
	if o.mine {
		return client.Pages(limit, func(int, string) (client.Page[api.Book], error) { return o.myBooks(ctx, c) })
	}
	sort, asks := o.sort, strings.TrimSpace(o.search) != ""
	if sort == "" && asks {
		sort = "relevance"
	}
	query := client.BookQuery{Words: o.search, Fuzzy: asks && !o.exact, Author: o.author, ISBN: o.isbn, Sort: sort,
		Language: o.language, Kind: o.kind, Series: o.series, Subjects: o.subjects, From: o.from, To: o.to}
	if o.available {
		query.Available = &o.available
	}
	books := o.saying(a, c.BookPages(ctx, query, limit))
	if isbn.Proven(o.search) == "" || o.isbn != "" {
		return books
	}
	query.Words, query.Fuzzy, query.ISBN, query.Sort = "", false, o.search, o.sort
	return firstUnlessEmpty(c.BookPages(ctx, query, limit), books)
}

// firstUnlessEmpty returns the pages of a list or, if it is empty, the pages of another.
func firstUnlessEmpty(pages, others iter.Seq2[client.Page[api.Book], error]) iter.Seq2[client.Page[api.Book], error] {
	return func(yield func(client.Page[api.Book], error) bool) {
		isEmpty := true
		for p, err := range pages {
			if err == nil && len(p.Items) == 0 {
				break
			}
			if isEmpty = false; !yield(p, err) {
				return
			}
		}
		if isEmpty {
			others(yield)
		}
	}
}

// saying returns the same pages, and prints the words searched for instead of misspelt ones.
func (o *listOptions) saying(a *command.App, pages iter.Seq2[client.Page[api.Book], error]) iter.Seq2[client.Page[api.Book], error] {
	return func(yield func(client.Page[api.Book], error) bool) {
		said := false
		for p, err := range pages {
			says := "Showing results for %q. --exact searches for %q instead."
			if p.Total == 0 { // words are corrected without regard to the filters
				says = "No book matches %q with these filters. --exact searches for %q instead."
			}
			// Without filters nothing is said of words that no book has together.
			if p.Corrected != "" && !said && (p.Total > 0 || o.filters()) {
				said = true
				a.Message(says, p.Corrected, strings.TrimSpace(o.search))
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// myBooks returns the caller's books that match the flags. The service does not search
// among them; they are few, so the search is done here.
func (o *listOptions) myBooks(ctx context.Context, c *client.Client) (client.Page[api.Book], error) {
	page, err := c.MyBooks(ctx)
	if err != nil {
		return page, err
	}
	page.Items = slices.DeleteFunc(page.Items, func(b api.Book) bool {
		return !records.Fits(library.ParseTerms(o.search), records.SearchWords(b)) ||
			!records.Fits(library.ParseTerms(o.author), fulltext.Index(b.Authors...)) ||
			o.isbn != "" && !records.HasISBN(b, o.isbn) || !o.describes(b)
	})
	page.Total = len(page.Items)
	return page, nil
}

// describes reports whether a book has the wanted language, series, subjects and year.
func (o *listOptions) describes(b api.Book) bool {
	same := func(a, b string) bool { return library.SubjectKey(a) == library.SubjectKey(b) }
	lacks := func(subject string) bool {
		return !slices.ContainsFunc(b.Subjects, func(s string) bool { return same(s, subject) })
	}
	return (o.language == "" || b.Language == library.LanguageCode(o.language)) &&
		(o.kind == "" || b.Kind == o.kind) && (o.series == "" || same(b.Series, o.series)) && !slices.ContainsFunc(o.subjects, lacks) &&
		b.Published >= o.from && (o.to == 0 || b.Published > 0 && b.Published <= o.to)
}
