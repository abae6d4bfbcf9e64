package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/terminal"
)

func newToken(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print an access token that is good for a while",
		Long: `Print an access token, renewed if it has to be, for other programs that speak to
the library. Whoever has it can do what you can, until it expires.`,
		Example: `  curl -H "Authorization: Bearer $(library token)" http://localhost:9091/library-server/books
  LIBRARY_TOKEN=$(library token) ./nightly-import`,
	}
	a.command(cmd, func(ctx context.Context, _ []string) error {
		address, source, err := a.source(ctx)
		if err != nil {
			return err
		}
		token, err := source.Token(ctx)
		if errors.Is(err, client.ErrSessionEnded) {
			return fail(ExitNotSignedIn, "Your session at %s has ended. Run 'library login' to sign in again.", address)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(a.term.Out, terminal.Clean(token.Access))
		return err
	})
	a.serverFlag(cmd)
	return cmd
}
