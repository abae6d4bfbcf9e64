package account

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// NewLogout makes 'library logout'.
func NewLogout(a *command.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "logout",
		Short: "Sign out of a library",
		Long: `Sign out: revoke the token at the identity provider, and delete it here. If the
provider cannot be reached, the token is deleted here all the same, and a warning
says so. The addresses of the library and of its identity provider are still known,
so that the next 'library login' needs no flags; 'library server remove' deletes
them, too.`,
		Example: `  library logout
  library logout --server library.example.com
  library logout --all`,
	}
	a.Command(cmd, func(ctx context.Context, _ []string) error {
		if !all {
			server, err := a.SignedIn()
			if err != nil {
				return err
			}
			return signOut(ctx, a, server)
		}
		if a.Server != "" {
			return command.Usage(cmd, "--all", "does not go together with --server")
		}
		return signOutOfAll(ctx, a)
	})
	a.ServerFlag(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "sign out of every library")
	return cmd
}

// signOutOfAll signs out of every library. One that fails does not keep the
// others.
func signOutOfAll(ctx context.Context, a *command.App) error {
	_, servers, err := a.RememberedServers()
	if err != nil {
		return err
	}
	if len(servers.All) == 0 {
		return command.NotSignedIn("", "You are not signed in anywhere.")
	}
	var problems []error
	for _, server := range servers.All {
		problems = append(problems, signOut(ctx, a, server))
	}
	return errors.Join(problems...)
}

// signOut revokes the token of a server and forgets it.
func signOut(ctx context.Context, a *command.App, server profile.Server) error {
	store, err := a.Profiles()
	if err != nil {
		return err
	}
	atProvider, err := store.SignOut(ctx, server.Address, func(s profile.Secrets) error {
		provider, err := client.Discover(ctx, s.Issuer, nil)
		if err != nil {
			return err
		}
		return provider.Revoke(ctx, s.Credentials(), s.Token)
	})
	switch {
	case err != nil:
		return err
	case errors.Is(atProvider, errors.ErrUnsupported):
		a.Message("The identity provider cannot revoke tokens: this one is forgotten here, and good until it expires.")
	case atProvider != nil:
		a.Message("Warning: the token is forgotten here, but the identity provider could not be told (%s).\n"+
			"End the session there if others may have seen the token.", terminal.Clean(atProvider.Error()))
	}
	who := ""
	if server.Email != "" {
		who = " (" + terminal.Clean(server.Email) + ")"
	}
	a.Message("Signed out of %s%s", server.Address, who)
	if a.Token() != "" {
		a.Message("LIBRARY_TOKEN is still set in the environment; commands go on using it.")
	}
	return nil
}
