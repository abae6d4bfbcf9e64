package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// Token is an access token from the environment: it skips everything that has
// to do with signing in.
func (a *App) Token() string {
	token, _ := a.Env.Lookup("LIBRARY_TOKEN")
	return strings.TrimSpace(token)
}

// Chosen is the server that the person named, "" if none.
func (a *App) Chosen() string { return a.Setting(a.Server, "LIBRARY_SERVER") }

// Setting is the value of a flag, or else of an environment variable.
func (a *App) Setting(flag, variable string) string {
	value, _ := a.Env.Lookup(variable)
	return cmp.Or(flag, value)
}

// Profiles is what this machine remembers of signing in.
func (a *App) Profiles() (*profile.Store, error) {
	if a.store == nil {
		store, err := profile.Open(a.Env.Lookup, func(text string) { a.Message("%s", text) })
		if err != nil {
			return nil, Fail(ExitUsage, "%w", err)
		}
		a.store = store
		// A token that is just being renewed would be lost with the program,
		// and the session with it.
		a.Env.atEnd(store.Close)
	}
	return a.store, nil
}

// Source finds the server to speak to and the token for it, which is kept fresh.
func (a *App) Source(ctx context.Context) (address string, source *client.Source, err error) {
	if token := a.Token(); token != "" {
		if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", nil, Fail(ExitUsage, "LIBRARY_TOKEN is not a token: it has characters in it that no token has.")
		}
		address, err = a.Address()
		return address, client.StaticSource(client.Token{Access: token}), err
	}
	server, err := a.SignedIn()
	if err != nil {
		return "", nil, err
	}
	store, err := a.Profiles()
	if err != nil {
		return "", nil, err
	}
	source, err = store.Source(ctx, server.Address)
	if errors.Is(err, profile.ErrNoToken) {
		err = Fail(ExitNotSignedIn, "The token for %s is gone from where it was kept. Run 'library login' to sign in again.", server.Address)
	}
	return server.Address, source, err
}

// Address is that of the chosen server, of the current one, or of the one that
// a demonstration has. Nobody has to be signed in there.
func (a *App) Address() (string, error) {
	chosen, token := a.Chosen(), a.Token()
	if token != "" && strings.Contains(chosen, "://") {
		address, err := profile.Address(chosen)
		if err != nil {
			return "", Fail(ExitUsage, "The address of the server %w.", err)
		}
		return address, nil
	}
	server, err := a.SignedIn()
	var none *NotSignedInError
	switch {
	case token != "" && chosen == "" && err == nil:
		return server.Address, checkOrigin(token, server)
	case errors.As(err, &none) && none.address != "" && token != "" && (comesFromElsewhere(token) || chosen == "" && none.address != DemoServer):
		return "", Fail(ExitUsage, "LIBRARY_TOKEN is set, but not which library it is for. Name that with --server or in LIBRARY_SERVER.")
	case errors.As(err, &none) && none.address != "":
		return none.address, nil
	}
	return server.Address, err
}

// comesFromElsewhere reports whether a token can be seen to come from a provider
// on another machine. Such a token is not for the demonstration on this one.
func comesFromElsewhere(token string) bool {
	claims, _ := ReadClaims(token)
	u, err := url.Parse(claims.Issuer)
	if err != nil || claims.Issuer == "" {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host != "localhost" && !strings.HasSuffix(host, ".localhost") && (ip == nil || !ip.IsLoopback())
}

// checkOrigin keeps a token from the environment from the current server if it
// can be seen that it is for another one. Nobody has to name a server, but the
// current one may have changed since the token was put there.
func checkOrigin(token string, server profile.Server) error {
	claims, _ := ReadClaims(token)
	if claims.Issuer == "" || claims.Issuer == server.Issuer {
		return nil
	}
	return Fail(ExitUsage, "LIBRARY_TOKEN is a token of %s, but %s takes those of %s.\nName the library that it is for with --server or in LIBRARY_SERVER.",
		terminal.Clean(claims.Issuer), server.Address, server.Issuer)
}

// NotSignedInError says that nobody is signed in.
type NotSignedInError struct {
	address string // where, "" if that is not known
	text    string
}

func (e *NotSignedInError) Error() string { return e.text }

// NotSignedIn is the error of a command that needs somebody to be signed in.
func NotSignedIn(address, format string, args ...any) error {
	return &Failure{code: ExitNotSignedIn, err: &NotSignedInError{address, fmt.Sprintf(format, args...)}}
}

// SignedIn finds the server to speak to among those that somebody is signed in
// to: the one that was named, or the current one.
func (a *App) SignedIn() (profile.Server, error) {
	_, all, err := a.RememberedServers()
	if err != nil {
		return profile.Server{}, err
	}
	chosen := a.Chosen()
	switch {
	case chosen != "":
		return FindServer(all.Find, chosen)
	case all.Current != "":
		server, _ := all.Get(all.Current)
		return server, nil
	case len(all.All) == 1:
		address := all.All[0].Address
		return profile.Server{}, NotSignedIn(address, "You are not signed in: the library at %s has not accepted your last sign-in.\n"+
			"Run 'library doctor --server %s' to find out why, or 'library login' to try again.", address, address)
	case len(all.All) == 0 && len(all.SignedOut) > 0 && a.Token() == "":
		address := all.SignedOut[0].Address
		return profile.Server{}, NotSignedIn(address, "You are not signed in. Run 'library login' to sign in to %s again.", address)
	case len(all.All) == 0:
		return profile.Server{}, NotSignedIn(DemoServer, "You are not signed in. Run 'library login' first; without --server it is for %s.", DemoServer)
	}
	return profile.Server{}, NotSignedIn("", "You are signed in to several libraries. Choose one with 'library server use', or with --server.")
}

// FindServer finds a server by what a person calls it.
func FindServer(find func(string) (profile.Server, error), text string) (profile.Server, error) {
	server, err := find(text)
	var ambiguous *profile.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return profile.Server{}, Fail(ExitUsage, "%s; write more of its name.", ambiguous)
	case errors.Is(err, profile.ErrUnknown):
		address, bad := profile.Address(text)
		if bad != nil {
			return profile.Server{}, NotSignedIn("", "You are not signed in to a library called %q. 'library server list' shows the names.", text)
		}
		return profile.Server{}, NotSignedIn(address, "You are not signed in to %s. Run 'library login --server %s' first.", address, address)
	}
	return server, err
}

// RememberedServers are the libraries that the person is signed in to, and those
// that they were signed in to.
func (a *App) RememberedServers() (*profile.Store, profile.Servers, error) {
	store, err := a.Profiles()
	if err != nil {
		return nil, profile.Servers{}, err
	}
	all, err := store.Servers()
	return store, all, err
}

// completeServer offers the libraries that the person is signed in to.
func (a *App) completeServer(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, all, _ := a.RememberedServers() // of a damaged file there is none
	return ServerNames(all), cobra.ShellCompDirectiveNoFileComp
}

// ServerNames are the names of libraries, for the shell.
func ServerNames(all profile.Servers) []cobra.Completion {
	var names []cobra.Completion
	for _, s := range all.All {
		names = append(names, cobra.CompletionWithDesc(terminal.Clean(all.Name(s.Address)), terminal.Clean(s.Email)))
	}
	return names
}
