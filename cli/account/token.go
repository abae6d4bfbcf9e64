package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// NewToken makes 'library token'.
func NewToken(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print an access token that is good for a while",
		Long: `Print an access token, renewed if it has to be, for other programs that speak to
the library. Anybody who has it can do what you can, until it expires.`,
		Example: `  curl -H "Authorization: Bearer $(library token)" http://localhost:9091/library-server/books
  LIBRARY_TOKEN=$(library token) ./nightly-import`,
	}
	a.Command(cmd, func(ctx context.Context, _ []string) error {
		address, source, err := a.Source(ctx)
		if err != nil {
			return err
		}
		token, err := source.Token(ctx)
		if errors.Is(err, client.ErrSessionEnded) {
			return command.SessionEnded(address)
		}
		if err != nil {
			return err
		}
		if token.Key != nil {
			a.Message("This token is bound to a key that stays here (DPoP): other programs cannot use it. They sign in themselves, or ask with 'library api'.")
		}
		_, err = fmt.Fprintln(a.Term.Out, terminal.Clean(token.Access))
		return err
	})
	a.ServerFlag(cmd)
	return cmd
}
