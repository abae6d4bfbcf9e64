package command

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/auth/claims"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// Token returns the access token in the environment, or "". With it, a command
// skips everything about signing in.
func (a *App) Token() string {
	token, _ := a.Env.Lookup("LIBRARY_TOKEN")
	return strings.TrimSpace(token)
}

// Chosen returns the server named by the person, "" if none.
func (a *App) Chosen() string { return a.Setting(a.Server, "LIBRARY_SERVER") }

// Setting returns the value of a flag, or else of an environment variable.
func (a *App) Setting(flag, variable string) string {
	value, _ := a.Env.Lookup(variable)
	return cmp.Or(flag, value)
}

// Profiles returns the store of the sign-ins on this machine.
func (a *App) Profiles() (*profile.Store, error) {
	if a.store == nil {
		store, err := profile.Open(a.Env.Lookup, func(text string) { a.Message("%s", text) })
		if err != nil {
			return nil, Fail(ExitUsage, "%w", err)
		}
		a.store = store
		// A renewal under way would lose its token with the program, and the person the session.
		a.Env.atEnd(store.Close)
	}
	return a.store, nil
}

// Source returns the address of the server to speak to, and a source of fresh tokens.
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

// Address returns the address of the chosen server, of the current one, or of a
// demonstration. Nobody has to be signed in there.
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

// comesFromElsewhere reports whether a token names a provider on another machine.
// Such a token is not for the demonstration on this one.
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

// checkOrigin returns an error if a token from the environment names a provider
// other than the current server's. Nobody has to name a server, but the current
// one may have changed since the token was put there.
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
	address string // of the library, "" if unknown
	text    string
}

func (e *NotSignedInError) Error() string { return e.text }

// NotSignedIn returns the error of a command that needs a sign-in.
func NotSignedIn(address, format string, args ...any) error {
	return &Failure{code: ExitNotSignedIn, err: &NotSignedInError{address, fmt.Sprintf(format, args...)}}
}

// SignedIn finds the server to speak to among the servers with a sign-in: the one
// named by the person, or the current one.
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

// FindServer finds a server by its name or its address.
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

// RememberedServers returns the libraries with a sign-in of the person, now or in
// the past, and the store.
func (a *App) RememberedServers() (*profile.Store, profile.Servers, error) {
	store, err := a.Profiles()
	if err != nil {
		return nil, profile.Servers{}, err
	}
	all, err := store.Servers()
	return store, all, err
}

// completeServer offers the libraries with a sign-in.
func (a *App) completeServer(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, all, _ := a.RememberedServers() // a damaged file has none
	return ServerNames(all), cobra.ShellCompDirectiveNoFileComp
}

// ServerNames returns the names of libraries, for the shell.
func ServerNames(all profile.Servers) []cobra.Completion {
	var names []cobra.Completion
	for _, s := range all.All {
		names = append(names, cobra.CompletionWithDesc(terminal.Clean(all.Name(s.Address)), terminal.Clean(s.Email)))
	}
	return names
}

// Claims are the statements of a token about itself. They serve to explain things
// to the owner of the token, and are not verified here: the library does so.
// Nothing may be allowed because of them.
type Claims struct {
	Key           string // kid of the header
	Algorithm     string // alg of the header
	Issuer        string
	Audience      []string
	Expiry        time.Time // zero if it does not say
	Begin         time.Time // when it becomes valid (nbf); zero if it does not say
	Issued        time.Time // zero if it does not say
	Email         string
	EmailVerified *bool // nil if it does not say
	Scope         []string
	Groups        []string
	Bound         bool // to a key of the client (cnf)

	All claims.Set // all claims of the payload
}

// maxToken is the size of the longest token the library accepts, in bytes.
const maxToken = 16 << 10

// ReadClaims reads the claims of a token. It reports false if the token is no
// readable JWT, or is too long.
func ReadClaims(token string) (Claims, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > maxToken {
		return Claims{}, false
	}
	var header struct {
		Key       string `json:"kid"`
		Algorithm string `json:"alg"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !decodePart(parts[0], &header) {
		return Claims{}, false
	}
	all, err := claims.Parse(payload)
	if err != nil {
		return Claims{}, false
	}
	c := Claims{Key: header.Key, Algorithm: header.Algorithm, Issuer: all.Text("iss"), Email: all.Text("email"), Audience: claims.Mapping{}.Audience(all), All: all}
	c.Scope, _ = all.Values("scope")
	c.Groups, _ = all.Values("groups")
	c.Bound = all.Has("cnf")
	c.Expiry, c.Begin, c.Issued = timeClaim(all["exp"]), timeClaim(all["nbf"]), timeClaim(all["iat"])
	var verified bool
	if json.Unmarshal(all["email_verified"], &verified) == nil {
		c.EmailVerified = &verified
	}
	return c, true
}

func decodePart(part string, into any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(data, into) == nil
}

func timeClaim(raw json.RawMessage) time.Time {
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds <= 0 || seconds >= 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
