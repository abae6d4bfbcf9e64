package books

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/isbn"
	"example.org/library/terminal"
)

func newCover(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "cover",
		Short: "Give books a cover, or take it away",
		Long:  `Give books a cover, or take it away. This is for curators.`,
	},
		newCoverSet(a), newCoverFetch(a), newCoverRemove(a))
}

// pictureKinds are the media types of pictures accepted by the service.
var pictureKinds = []string{"image/jpeg", "image/png", "image/webp"}

// maxPicture limits the bytes read from a file. The service has a smaller limit and reports it
// itself.
const maxPicture = 64 << 20

func newCoverSet(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set BOOK FILE",
		Short: "Give a book a cover",
		Long: `Give a book a cover, instead of the one that it has: a JPEG, PNG or WebP of at most
5 MiB. It is turned the right way up and made smaller. FILE may be - for the
standard input.`,
		Example: `  library books cover set "Clean Code" clean-code.jpg
  curl https://example.com/cover.png | library books cover set 0132350882 -`,
		ValidArgsFunction: bookThenFile(a),
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		picture, err := a.ReadInput(ctx, args[1], maxPicture)
		if err != nil {
			return command.Fail(command.ExitFailed, "The picture cannot be read: %w.", err)
		}
		kind := http.DetectContentType(picture)
		if !slices.Contains(pictureKinds, kind) {
			return command.Fail(command.ExitFailed, "%s is not a JPEG, PNG or WebP.", terminal.Clean(args[1]))
		}
		b, err := records.BookFinder(a, c).Only(records.Called).Find(ctx, args[0])
		if err != nil {
			return err
		}
		if err := c.SetCover(ctx, b.Identifier, kind, picture); err != nil {
			return records.ExplainBook(b, err)
		}
		a.Say("%s has this cover now.", command.Quote(b.Title))
		return nil
	})
}

// bookThenFile returns a function to complete a book and then the name of a file.
func bookThenFile(a *command.App) cobra.CompletionFunc {
	books := records.CompleteBooks(a, command.OneArgument, records.AnyBook)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return books(cmd, args, typed)
	}
}

func newCoverRemove(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "remove BOOK...",
		Short:             "Take the cover away from books",
		Example:           `  library books cover remove "Clean Code"`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.AnyBook),
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return eachCover(ctx, a, c, args, c.RemoveCover, "%s has no cover any more.", "covers could not be removed")
	})
}

// eachCover calls do for each named book, and prints done with its title.
func eachCover(ctx context.Context, a *command.App, c *client.Client, names []string, do func(ctx context.Context, bookID string) error, done, failed string) error {
	finder := records.BookFinder(a, c).Only(records.Called)
	return command.Each(ctx, a, c, names, failed, func(name string) (api.Book, error) {
		b, err := finder.Find(ctx, name)
		if err != nil {
			return b, err
		}
		if err := do(ctx, b.Identifier); err != nil {
			return b, explainCover(b, err)
		}
		a.Say(done, command.Quote(b.Title))
		return b, nil
	})
}

func newCoverFetch(a *command.App) *cobra.Command {
	missing, after := false, ""
	cmd := &cobra.Command{
		Use:   "fetch [BOOK...]",
		Short: "Fetch the covers of books by their ISBN",
		Long: `Fetch the covers of books by their ISBN, from the source that the library has for
them.

With --missing that is done for all books that have an ISBN and no cover, one
after the other. It can be stopped at any time: run again, it goes on with the
books that still have none, and --after leaves out those up to a book, which it
names when it is stopped. In a pipe there is one line for each book, with tabs
between identifier, title and what came of it: fetched, none or failed.`,
		Example: `  library books cover fetch "Clean Code"
  library books cover fetch --missing
  library books cover fetch --missing --after f9bf70d6-7c56-47a6-ba16-14a5a8a3fc95`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.AnyBook),
	}
	cmd.Flags().BoolVar(&missing, "missing", false, "the covers of all books that have none")
	cmd.Flags().StringVar(&after, "after", "", "with --missing, begin after the book with this identifier")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return checkFetch(cmd, args, missing, after) }
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		if missing {
			return (&coverRun{a: a, c: c, after: after}).run(ctx)
		}
		return eachCover(ctx, a, c, args, c.FetchCover, "%s has a cover now.", "covers could not be fetched")
	})
}

func checkFetch(cmd *cobra.Command, args []string, missing bool, after string) error {
	var problems command.Problems
	switch {
	case missing && len(args) > 0:
		problems.Add("--missing", "cannot go with the name of a book")
	case !missing && len(args) == 0:
		problems.Add("BOOK", "is missing; --missing fetches the covers of all books that have none")
	case !missing && after != "":
		problems.Add("--after", "goes with --missing only")
	}
	problems.CheckID("--after", after)
	return problems.In(cmd)
}

// explainCover returns an error with the reason for a failure to fetch or remove a cover.
func explainCover(b api.Book, err error) error {
	title := command.Quote(b.Title)
	words := map[string]string{
		command.CodeNoCoverFound: "The source of covers has none of " + title + ".",
		library.ErrNoCover.Code:  title + " has no cover.",
	}
	if isbn.Proven(b.ISBN) == "" {
		words[command.CodeNoCoverFound] = title + " has no valid ISBN, by which a cover could be fetched."
	}
	return records.ExplainBook(b, command.InWords(err, words))
}

// failuresInARow is the number of consecutive failures that end the run, so that the source
// is left alone.
const failuresInARow = 5

// coverRun fetches the covers of all books without one. It sends one request at a time; the
// service decides how fast it asks the source.
type coverRun struct {
	a     *command.App
	c     *client.Client
	after string // identifier of the last book done

	fetched, none, failed, inARow int
}

func (r *coverRun) run(ctx context.Context) error {
	progress := r.a.Term.NewProgress(-1, "Covers")
	err := r.walk(ctx, progress)
	progress.Done()
	r.a.Message("%s", r.summary())
	switch {
	case err != nil && r.after != "":
		r.a.Message("'library books cover fetch --missing --after %s' goes on from there.", r.after)
	case err == nil && r.failed > 0:
		return command.Fail(command.ExitFailed, "%s could not be fetched; run it again to try once more.", command.Quantity(r.failed, "cover"))
	}
	return err
}

func (r *coverRun) summary() string {
	text := "Fetched " + command.Quantity(r.fetched, "cover")
	if r.none > 0 {
		text += "; the source has none of " + command.Quantity(r.none, "book")
	}
	if r.failed > 0 {
		text += "; " + command.Thousands(r.failed) + " failed"
	}
	return text + "."
}

// walk goes through all books, the oldest first, since new ones come at the end.
func (r *coverRun) walk(ctx context.Context, progress *terminal.Progress) error {
	skip, until := r.after != "", r.after
	for page, err := range r.c.BookPages(ctx, client.BookQuery{Sort: "created"}, 0) {
		if err != nil {
			return err
		}
		progress.Total(page.Total)
		for _, b := range page.Items {
			if !skip && b.Cover == nil && isbn.Proven(b.ISBN) != "" {
				if err := r.fetch(ctx, b); err != nil {
					return err
				}
			}
			skip = skip && b.Identifier != until
			progress.Add(1)
		}
	}
	if skip {
		return command.Fail(command.ExitNotFound, "There is no book %s to go on from.", until)
	}
	return nil
}

// fetch fetches the cover of one book. It returns an error only if all the others would fail
// with it as well.
func (r *coverRun) fetch(ctx context.Context, b api.Book) error {
	err := r.c.FetchCover(ctx, b.Identifier)
	switch {
	case err == nil:
		r.fetched, r.inARow = r.fetched+1, 0
	case command.HasCode(err, command.CodeNoCoverFound):
		r.none, r.inARow = r.none+1, 0
	case command.HasCode(err, library.ErrBookNotFound.Code): // deleted meanwhile
		return nil
	case command.HasCode(err, command.CodeSourceFailed) && r.inARow < failuresInARow-1:
		r.failed, r.inARow = r.failed+1, r.inARow+1
	default:
		return err
	}
	r.after = b.Identifier
	return r.line(b, err)
}

func (r *coverRun) line(b api.Book, err error) error {
	if r.a.Term.Interactive() {
		return nil
	}
	outcome := "fetched"
	if err != nil {
		if outcome = "failed"; command.HasCode(err, command.CodeNoCoverFound) {
			outcome = "none"
		}
	}
	_, err = fmt.Fprintf(r.a.Term.Out, "%s\t%s\t%s\n", terminal.Clean(b.Identifier), terminal.Clean(b.Title), outcome)
	return err
}
