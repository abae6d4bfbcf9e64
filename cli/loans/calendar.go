package loans

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newCalendar(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "calendar",
		Aliases: []string{"ics"},
		Short:   "Print your due days as a file for your calendar",
		Long: `Print the days on which your loans are due as a file for calendar programs
(iCalendar), with an event for each loan. When you have renewed something, import
a new file: the events that you have move to the new days.`,
		Example: `  library loans calendar > due.ics`,
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		file, err := c.Calendar(ctx)
		if err != nil {
			return err
		}
		text := string(file)
		if a.Term.Interactive() {
			text = terminal.CleanText(text)
		}
		_, err = io.WriteString(a.Term.Out, text)
		return err
	})
}
