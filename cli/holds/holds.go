// Package holds implements 'library holds'.
package holds

import (
	"cmp"
	"context"
	"fmt"
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

// New makes 'library holds'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "holds",
		Aliases: []string{"hold"},
		Short:   "Reserve books that are on loan, and see who is waiting",
		Long: `Reserve books that are on loan, and see who is waiting. Holds are served first come,
first served: a copy that comes back is set aside for some days. Readers see their own
holds, curators and admins everybody's.

A hold is named by its identifier or the beginning of it (four characters or
more), or by its book: a title, an ISBN or an identifier.`,
	},
		newList(a), newAdd(a), newFetch(a), newCancel(a))
}

func tableHolds(ctx context.Context, t *terminal.Terminal, c *client.Client, k *records.Calendar, holds []api.Hold) error {
	rows := make([]records.LendingRow, len(holds))
	for i, h := range holds {
		state := k.HoldState(ctx, h.State, h.Position, h.Until)
		if h.FetchedAt != "" {
			state += ", fetched"
		}
		rows[i] = records.LendingRow{ID: h.Identifier, Title: h.Book.Title, User: h.User, Last: terminal.Cell{Text: state}}
		if h.State == api.HoldReady {
			rows[i].Last.Style = terminal.Green
		}
	}
	return records.PrintLending(ctx, t, c, "state", rows)
}

// holdCells returns the cells of the line for programs.
func holdCells(ctx context.Context, k *records.Calendar, h api.Hold) []string {
	position, fetched := "", ""
	if h.Position > 0 {
		position = fmt.Sprint(h.Position)
	}
	if h.FetchedAt != "" {
		fetched = "fetched"
	}
	return []string{h.Identifier, h.Book.Title, records.NameOf(h.User), h.State, position, k.Date(ctx, h.Until), fetched}
}

// showHolds shows holds: as a table at a terminal, as lines in a pipe.
func showHolds(ctx context.Context, t *terminal.Terminal, c *client.Client, holds iter.Seq2[api.Hold, error]) error {
	return records.Show(ctx, t, c, holds, holdCells, tableHolds)
}

func newList(a *command.App) *cobra.Command {
	list := records.List[api.Hold]{
		Nouns: "holds", None: "Nobody waits for a book at the moment.",
		Filters: []records.Filter{
			{Flag: "ready", Letter: "r", Usage: "only holds for which a copy is set aside", State: api.HoldsReady, None: "No copy is set aside."},
			{Flag: "ended", Letter: "e", Usage: "list holds that are over instead: fulfilled, cancelled or expired", State: api.HoldsEnded, None: "No hold has ended."},
		},
		Pages: func(ctx context.Context, c *client.Client, q records.ListQuery) iter.Seq2[client.Page[api.Hold], error] {
			return c.HoldPages(ctx, client.HoldQuery{State: q.State, User: q.User, Book: q.Book}, q.Limit)
		},
		Sheet: func(q records.ListQuery) client.SheetQuery {
			return client.HoldQuery{State: q.State, User: q.User, Book: q.Book}
		},
		Show: showHolds,
	}
	return list.Command(a, &cobra.Command{
		Short: "List holds",
		Long: `List holds by book and place in the queue, or with --ended those that are over,
the latest first. Readers see their own holds, curators and admins everybody's.

In a pipe there is one line for each hold, with tabs between identifier, title,
reader, state, place in the queue, the day until which a copy is set aside, and,
for curators and admins, "fetched" if it was taken from its shelf.`,
		Example: `  library holds list
  library holds list --ready
  library holds list --book "Clean Code" --json
  library holds list --user "Bruce Wayne" --ended`,
	})
}

func completeHolds(a *command.App) cobra.CompletionFunc {
	return a.Complete(command.AnyNumber, func(ctx context.Context, c *client.Client, args []string, typed string) ([]cobra.Completion, error) {
		page, err := c.Holds(ctx, client.HoldQuery{Limit: command.MaxCompletions})
		k := records.NewCalendar(c)
		return records.CompleteTitles(page.Items, args, typed, func(h api.Hold) (string, string) {
			return h.Book.Title, k.HoldState(ctx, h.State, h.Position, h.Until)
		}), err
	})
}

// holdFinder finds active holds of somebody, or of anybody if userID is "".
func holdFinder(ctx context.Context, a *command.App, c *client.Client, userID string) *records.Finder[api.Hold] {
	return records.BookRecords[api.Hold]{
		Client: c, Noun: "hold", Missing: library.ErrHoldNotFound.Code, Get: c.Hold,
		ID:    func(h api.Hold) string { return h.Identifier },
		Title: func(h api.Hold) string { return h.Book.Title },
		First: func(ctx context.Context, bookID string, limit int) (client.Page[api.Hold], error) {
			return c.Holds(ctx, client.HoldQuery{User: userID, Book: bookID, Limit: limit})
		},
		All: func(ctx context.Context, bookID string) iter.Seq2[api.Hold, error] {
			return c.AllHolds(ctx, client.HoldQuery{User: userID, Book: bookID})
		},
		Offer: func(choices []api.Hold) error { return showHolds(ctx, a.Screen(), c, command.Sequence(choices)) },
	}.Finder()
}

func newChange(a *command.App, cmd *cobra.Command, scope *records.Scope, done string,
	do func(context.Context, *client.Client, api.Hold) (api.Hold, error),
	say func(context.Context, *records.Calendar, api.Hold) string) *cobra.Command {
	cmd.ValidArgsFunction = completeHolds(a)
	return records.Change[api.Hold]{
		Scope: scope, Failure: "holds could not be " + done, Finder: holdFinder, Do: do, Say: say,
		Explain: func(_ context.Context, _ *client.Client, _ *records.Calendar, h api.Hold, err error) error {
			return records.Matter{Title: h.Book.Title}.Explain(err)
		},
	}.Command(a, cmd)
}

func newAdd(a *command.App) *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:     "add BOOK...",
		Aliases: []string{"place"},
		Short:   "Reserve books that are on loan",
		Long: `Reserve books of which no copy is available: you are put at the end of the
queue. When it is your turn, a copy is set aside for you for some days, and
'library books borrow' gets it. Curators reserve for others with --user.`,
		Example: `  library holds add "Clean Code"
  library holds add 978-0-13-110362-7 3038627d
  library holds add "Clean Code" --user "Bruce Wayne"`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.AnyBook),
	}
	records.PersonFlag(a, cmd, &user, "reserve for this person")
	a.JSONFlag(cmd, "the new holds, in an array,")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) (err error) {
		var reader api.Reader
		if user != "" {
			if reader, err = records.ReaderFinder(a, c).Only(records.Called).Find(ctx, user); err != nil {
				return err
			}
		}
		finder, k := records.BookFinder(a, c).Only(records.Called), records.NewCalendar(c)
		return command.Each(ctx, a, c, args, "books could not be reserved", func(name string) (api.Hold, error) {
			b, err := finder.Find(ctx, name)
			if err != nil {
				return api.Hold{}, err
			}
			h, err := place(ctx, c, b, reader)
			if err != nil {
				return h, err
			}
			if a.Term.Interactive() {
				sayReserved(a, h, b.Title, k.HoldState(ctx, h.State, h.Position, h.Until), user != "")
			}
			return h, nil
		})
	})
}

// sayReserved names the reader of a hold that staff have placed for another.
func sayReserved(a *command.App, h api.Hold, title, state string, forAnother bool) {
	if forAnother {
		a.Say("%s is reserved for %s: %s.", command.Quote(title), records.NameOf(h.User), state)
	} else {
		a.Say("You have reserved %s: %s.", command.Quote(title), state)
	}
}

// place reserves a book for a reader, or for the caller if there is none.
func place(ctx context.Context, c *client.Client, b api.Book, reader api.Reader) (api.Hold, error) {
	if reader.Identifier == "" {
		h, err := c.PlaceHold(ctx, b.Identifier)
		return h, records.ExplainBook(b, err)
	}
	h, err := c.PlaceHoldFor(ctx, b.Identifier, reader.Identifier)
	name := strings.TrimSpace(records.PersonName(reader.Person))
	return h, records.Matter{Title: b.Title, Reader: cmp.Or(name, "The reader")}.Explain(err)
}

func newFetch(a *command.App) *cobra.Command {
	scope, undo := &records.Scope{}, false
	cmd := &cobra.Command{
		Use:   "fetch HOLD...",
		Short: "Note that copies were taken from their shelves",
		Long: `Note that the copies that are set aside were taken from their shelves and put
with those to be handed out, so that nobody looks for them again. A copy that
comes back at the desk is noted automatically. For curators.`,
		Example: `  library holds fetch "Clean Code"
  library holds fetch 9b1f22c4 81c0de99
  library holds fetch "Clean Code" --undo`,
	}
	scope.UserFlag(a, cmd, "holds")
	cmd.Flags().BoolVar(&undo, "undo", false, "the copies still have to be taken from their shelves")
	return newChange(a, cmd, scope, "changed", func(ctx context.Context, c *client.Client, h api.Hold) (api.Hold, error) {
		return c.FetchHold(ctx, h.Identifier, !undo)
	}, func(ctx context.Context, k *records.Calendar, h api.Hold) string {
		if undo {
			return command.Quote(h.Book.Title) + " still has to be fetched."
		}
		return command.Quote(h.Book.Title) + " is fetched. " + records.SetAside(ctx, k, h) + "."
	})
}

func newCancel(a *command.App) *cobra.Command {
	scope := &records.Scope{}
	cmd := &cobra.Command{
		Use:     "cancel HOLD...",
		Aliases: []string{"rm", "remove"},
		Short:   "Give places in queues up",
		Long: `Give up places in queues. A copy that was set aside goes to the next in line.
Readers cancel their own holds, curators everybody's.`,
		Example: `  library holds cancel "Clean Code"
  library holds cancel "Clean Code" --user "Bruce Wayne"
  library holds cancel 9b1f22c4 81c0de99`,
	}
	scope.UserFlag(a, cmd, "holds")
	return newChange(a, cmd, scope, "cancelled", func(ctx context.Context, c *client.Client, h api.Hold) (api.Hold, error) {
		return h, c.CancelHold(ctx, h.Identifier)
	}, func(_ context.Context, _ *records.Calendar, h api.Hold) string {
		return "The hold of " + command.Quote(h.Book.Title) + " is cancelled."
	})
}
