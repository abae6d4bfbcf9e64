package users

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/terminal"
	"example.org/library/userfile"
)

func newExport(a *command.App) *cobra.Command {
	var export bulk.Export
	var q client.UserQuery
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write users into a file",
		Long: `Write users into a file, as CSV or as JSON with a person per line; without FILE, to
the standard output. 'library users import' reads exactly the same people from it.
Loans and reservations are not in it.

Spreadsheets run cells that begin with = + - @ as formulas. With --spreadsheet such
cells get an apostrophe in front; do not import a file of that kind.`,
		Example: `  library users export people.csv
  library users export --group 7a 7a.csv
  library users export --format jsonl | jq .email`,
	}
	export.Flags(cmd)
	cmd.Flags().StringVarP(&q.Words, "search", "s", "", "only users with words that begin with these, in name or e-mail address")
	cmd.Flags().StringVar(&q.Group, "group", "", "only users of this group")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		path := append(args, "-")[0]
		format, err := export.FileFormat(cmd, path)
		if err != nil {
			return err
		}
		return export.Write(ctx, a, path, format, "user", func(ctx context.Context, out io.Writer, progress *terminal.Progress) (int, error) {
			return writeUsers(ctx, c, out, q, table.WriterOptions{Format: format, Spreadsheet: export.Spreadsheet}, progress)
		})
	})
}

// writeUsers writes the users of a query, page by page.
func writeUsers(ctx context.Context, c *client.Client, out io.Writer, q client.UserQuery, how table.WriterOptions, progress *terminal.Progress) (written int, err error) {
	w, err := userfile.NewWriter(out, how)
	if err != nil {
		return 0, err
	}
	for page, err := range c.UserPages(ctx, q, 0) {
		if err != nil {
			return written, err
		}
		for _, u := range page.Items {
			if err := w.Write(fileUser(u)); err != nil {
				return written, fmt.Errorf("the users cannot be written: %w", err)
			}
		}
		written += len(page.Items)
		progress.Total(page.Total)
		progress.Add(len(page.Items))
	}
	return written, w.Flush()
}

// fileUser is a user as a file has one.
func fileUser(u api.User) userfile.User {
	return userfile.User{
		Email: u.Email, FirstName: u.FirstName, LastName: u.LastName, Card: u.Card, Group: u.Group,
		Roles: u.Roles, Locale: u.Locale, Reminders: &u.Reminders, Active: &u.Active,
	}
}
