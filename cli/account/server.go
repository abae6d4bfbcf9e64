package account

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// NewServer makes 'library server'.
func NewServer(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "server",
		Short: "Choose between the libraries you are signed in to",
	}, newServerList(a), newServerUse(a), newServerRemove(a))
}

// serverRecord is a library in the output of server list --json.
type serverRecord struct {
	Name     string `json:"name"`
	Address  string `json:"address"`
	Current  bool   `json:"current"`
	Kind     string `json:"kind"`
	Person   string `json:"person,omitempty"`
	Email    string `json:"email,omitempty"`
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	Kept     string `json:"kept"`
}

func newServerList(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the libraries you are signed in to; * marks the current one",
		Example: `  library server list
  library server list --json`,
	}
	a.Command(cmd, func(context.Context, []string) error {
		_, all, err := a.RememberedServers()
		if err != nil {
			return err
		}
		return a.Print(serverRecords(all), func() error { return printServers(a, all) })
	})
	a.JSONFlag(cmd, "what is known of each")
	return cmd
}

func serverRecords(all profile.Servers) []serverRecord {
	records := []serverRecord{}
	for _, s := range all.All {
		records = append(records, serverRecord{
			Name: all.Name(s.Address), Address: s.Address, Current: s.Address == all.Current, Kind: string(s.Kind),
			Person: s.Name, Email: s.Email, Issuer: s.Issuer, ClientID: s.ClientID, Kept: string(s.Kept),
		})
	}
	return records
}

func printServers(a *command.App, all profile.Servers) error {
	if len(all.All) == 0 {
		a.Say("You are not signed in anywhere. Run 'library login'.")
	}
	table := a.Term.NewTable(terminal.Column{Title: " ", Style: terminal.Green}, terminal.Column{Title: "name", Style: terminal.Bold},
		terminal.Column{Title: "signed in as", Give: 2}, terminal.Column{Title: "address", Give: 1})
	for _, r := range serverRecords(all) {
		mark := " "
		if r.Current {
			mark = "*"
		}
		table.Row(mark, r.Name, cmp.Or(r.Email, "("+r.Kind+")"), r.Address) // some libraries have not named the user yet
	}
	return table.Flush()
}

// completeServers offers the names of the libraries, including signed-out ones if every is set.
func completeServers(a *command.App, every bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		_, all, _ := a.RememberedServers() // a damaged file has none
		switch {
		case len(args) > 0:
			all = profile.Servers{}
		case every:
			all = everyServer(all)
		}
		return command.ServerNames(all), cobra.ShellCompDirectiveNoFileComp
	}
}

func newServerUse(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "use NAME",
		Short: "Choose the library that commands speak to",
		Long: `Choose the library that commands speak to, by its name in 'library server list', its
address, or a beginning that no other has.`,
		Example: `  library server use library.example.com
  library server use local`,
		ValidArgsFunction: completeServers(a, false),
	}
	return a.Command(cmd, func(ctx context.Context, args []string) error {
		store, all, err := a.RememberedServers()
		if err != nil {
			return err
		}
		server, err := command.FindServer(all.FindByBeginning, args[0])
		if err != nil {
			return err
		}
		if err := store.Use(ctx, server.Address); err != nil {
			return err
		}
		a.Message("Commands now use %s", server.Address)
		if named, _ := a.Env.Lookup("LIBRARY_SERVER"); named != "" {
			a.Message("LIBRARY_SERVER is set in the environment and is used instead.")
		}
		return nil
	})
}

func newServerRemove(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Sign out of a library and forget it",
		Long: `Sign out of a library and forget its address and its identity provider. A library
that you have signed out of already is forgotten, too.`,
		Example: `  library server remove library.example.com
  library server remove local`,
		ValidArgsFunction: completeServers(a, true),
	}
	return a.Command(cmd, func(ctx context.Context, args []string) error {
		store, all, err := a.RememberedServers()
		if err != nil {
			return err
		}
		server, err := command.FindServer(everyServer(all).FindByBeginning, args[0])
		if err != nil {
			return err
		}
		if _, signedIn := all.Get(server.Address); signedIn {
			if err := signOut(ctx, a, server); err != nil {
				return err
			}
		}
		if err := store.Forget(ctx, server.Address); err != nil {
			return err
		}
		a.Message("Forgot %s", server.Address)
		return nil
	})
}

// everyServer returns all libraries, including the signed-out ones.
func everyServer(all profile.Servers) profile.Servers {
	return profile.Servers{All: slices.Concat(all.All, all.SignedOut)}
}

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

// signOutOfAll signs out of every library. A failure at one does not stop it from
// going on to the others.
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
		_ = provider.EndSession(ctx, s.Credentials(), s.Token) // what counts is that the token is revoked
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
