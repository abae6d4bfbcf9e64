package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/profile"
	"example.org/library/terminal"
)

func newServer(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "server",
		Short: "Choose between the libraries you are signed in to",
		Example: `  library server list
  library server use library.example.com
  library server remove localhost:9091`,
	}, newServerList(a), newServerUse(a), newServerRemove(a))
}

// serverRecord is what server list --json prints.
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

func newServerList(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the libraries you are signed in to; * marks the current one",
		Example: `  library server list
  library server list --json`,
	}
	a.command(cmd, func(context.Context, []string) error {
		_, all, err := a.rememberedServers()
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(serverRecords(all))
		}
		return a.printServers(all)
	})
	a.jsonFlag(cmd, "what is known of each")
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

func (a *app) printServers(all profile.Servers) error {
	if len(all.All) == 0 {
		a.say("You are not signed in anywhere. Run 'library login'.")
	}
	table := a.term.NewTable(terminal.Column{Title: " ", Style: terminal.Green}, terminal.Column{Title: "name", Style: terminal.Bold},
		terminal.Column{Title: "signed in as", Give: 2}, terminal.Column{Title: "address", Give: 1})
	for _, r := range serverRecords(all) {
		mark, who := " ", r.Email
		if r.Current {
			mark = "*"
		}
		if who == "" {
			who = "(" + r.Kind + ")" // the library has not said yet who it is
		}
		if err := table.Row(mark, r.Name, who, r.Address); err != nil {
			return err
		}
	}
	return table.Flush()
}

// completeServers offers the names of the libraries.
func (a *app) completeServers(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, all, _ := a.rememberedServers() // of a damaged file there is none
	return serverNames(all, args)
}

// completeRemembered offers those that the person has signed out of, too.
func (a *app) completeRemembered(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, all, _ := a.rememberedServers()
	return serverNames(everyServer(all), args)
}

func serverNames(all profile.Servers, args []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if len(args) == 0 {
		for _, r := range serverRecords(all) {
			names = append(names, cobra.CompletionWithDesc(terminal.Clean(r.Name), terminal.Clean(r.Email)))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeServerFlag(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.completeServers(cmd, nil, typed)
}

// rememberedServers are the libraries that the person is signed in to, and those
// that they were signed in to.
func (a *app) rememberedServers() (*profile.Store, profile.Servers, error) {
	store, err := a.profiles()
	if err != nil {
		return nil, profile.Servers{}, err
	}
	all, err := store.Servers()
	return store, all, err
}

func newServerUse(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "use NAME",
		Short: "Choose the library that commands speak to",
		Long: `Choose the library that commands speak to, by its name in 'library server list', its
address, or a beginning that no other has.`,
		Example: `  library server use library.example.com
  library server use local`,
		ValidArgsFunction: a.completeServers,
	}
	return a.command(cmd, func(ctx context.Context, args []string) error {
		store, all, err := a.rememberedServers()
		if err != nil {
			return err
		}
		server, err := findServer(all.FindByBeginning, args[0])
		if err != nil {
			return err
		}
		if err := store.Use(ctx, server.Address); err != nil {
			return err
		}
		a.tell("Commands now use %s", server.Address)
		if named, _ := a.env.Lookup("LIBRARY_SERVER"); named != "" {
			a.tell("LIBRARY_SERVER is set in the environment and is used instead.")
		}
		return nil
	})
}

func newServerRemove(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Sign out of a library and forget it",
		Long: `Sign out of a library and forget its address and its identity provider. A library
that you have signed out of already is forgotten, too.`,
		Example: `  library server remove library.example.com
  library server remove local`,
		ValidArgsFunction: a.completeRemembered,
	}
	return a.command(cmd, func(ctx context.Context, args []string) error {
		store, all, err := a.rememberedServers()
		if err != nil {
			return err
		}
		server, err := findServer(everyServer(all).FindByBeginning, args[0])
		if err != nil {
			return err
		}
		if _, signedIn := all.Get(server.Address); signedIn {
			if err := a.signOut(ctx, server); err != nil {
				return err
			}
		}
		if err := store.Forget(ctx, server.Address); err != nil {
			return err
		}
		a.tell("Forgot %s", server.Address)
		return nil
	})
}

// everyServer has the libraries that the person has signed out of among the others.
func everyServer(all profile.Servers) profile.Servers {
	return profile.Servers{All: slices.Concat(all.All, all.SignedOut)}
}
