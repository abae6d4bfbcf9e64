package books

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newCover(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "cover",
		Short: "Give books a cover, or take it away",
		Long:  `Give books a cover, or take it away. This is for curators.`,
		Example: `  library books cover set "Clean Code" clean-code.jpg
  library books cover fetch --missing
  library books cover remove "Clean Code"`,
	},
		newCoverSet(a), newCoverFetch(a), newCoverRemove(a))
}

// pictureKinds are the media types of pictures that the service takes.
var pictureKinds = []string{"image/jpeg", "image/png", "image/webp"}

// maxPicture is what is read of a file. The service has a smaller limit and says so itself.
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
		picture, err := readPicture(ctx, a, args[1])
		if err != nil {
			return err
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

// bookThenFile completes a book, and after it the name of a file.
func bookThenFile(a *command.App) cobra.CompletionFunc {
	books := records.CompleteBooks(a, command.OneArgument, records.AnyBook)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return books(cmd, args, typed)
	}
}

// readPicture reads a file or, for "-", the standard input.
func readPicture(ctx context.Context, a *command.App, name string) ([]byte, error) {
	in := io.Reader(command.Interruptible{Ctx: ctx, In: a.Env.Stdin})
	if name != "-" {
		file, err := command.OpenFile(ctx, name)
		if err != nil {
			return nil, command.Fail(command.ExitFailed, "The picture cannot be read: %w.", err)
		}
		defer file.Close()
		in = file
	}
	picture, err := io.ReadAll(io.LimitReader(in, maxPicture))
	if err != nil {
		return nil, command.Fail(command.ExitFailed, "The picture cannot be read: %w.", err)
	}
	return picture, nil
}

func newCoverRemove(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "remove BOOK...",
		Short:             "Take the cover away from books",
		Long:              `Take the cover away from books.`,
		Example:           `  library books cover remove "Clean Code"`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.AnyBook),
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return eachCover(ctx, a, c, args, c.RemoveCover, "%s has no cover any more.", "covers could not be removed")
	})
}

// eachCover does something with the cover of each book.
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
