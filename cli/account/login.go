// Package account implements 'library login', 'logout', 'token', 'whoami', 'server' and 'me'.
// Start reading in login.go.
package account

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// loginOptions are the flags of 'library login', and facts about the library.
type loginOptions struct {
	issuer            string
	clientID          string
	scopes            []string
	noBrowser         bool
	device            bool
	clientCredentials bool
	password          bool
	username          string
	secretFile        string

	library client.Resource // its description of itself
}

// NewLogin makes 'library login'.
func NewLogin(a *command.App) *cobra.Command {
	o := &loginOptions{}
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Sign in to a library",
		Long: `Sign in to a library, in your browser and with the login you already have.

The token is stored in the keyring of the system or, where there is none, in a
file that only you can read. It is renewed automatically as long as the identity
provider allows. You can be signed in to several libraries; 'library server use'
chooses between them.

On a machine without a browser, over SSH for instance, use --device: it prints an
address and a code, and you sign in with the browser of any other machine.

Programs sign in with --client-credentials. The secret of the client comes from
LIBRARY_CLIENT_SECRET, from --secret-file, or is asked for. Programs that have a
token already need no login: they put it into LIBRARY_TOKEN, and the address of
the library into LIBRARY_SERVER.`,
		Example: `  library login
  library login --device
  library login --server https://library.example.com/library-server --issuer https://id.example.com/realms/main
  library login --client-credentials --client-id library-client --secret-file secret.txt`,
	}
	a.Command(cmd, func(ctx context.Context, _ []string) error { return login(ctx, a, cmd, o) })
	flags := cmd.Flags()
	flags.StringVar(&a.Server, "server", "", "the library to sign in to: its address or its name in 'library server list' (LIBRARY_SERVER)")
	flags.StringVar(&o.issuer, "issuer", "", "the identity provider; remembered for a library (LIBRARY_ISSUER)")
	flags.StringVar(&o.clientID, "client-id", "", "what the identity provider calls this program, "+command.DefaultClientID+" by default (LIBRARY_CLIENT_ID)")
	flags.StringArrayVar(&o.scopes, "scope", nil, "a scope to ask for besides openid, email and profile; may be repeated")
	flags.BoolVar(&o.noBrowser, "no-browser", false, "print the address to open instead of opening it")
	flags.BoolVar(&o.device, "device", false, "sign in with the browser of another machine, by a code")
	flags.BoolVar(&o.clientCredentials, "client-credentials", false, "sign in a program, with the id and the secret of a client")
	flags.StringVar(&o.secretFile, "secret-file", "", "file with the secret of the client, - for standard input (LIBRARY_CLIENT_SECRET)")
	flags.BoolVar(&o.password, "password", false, "for testing only: sign in with a user name and a password, without a browser")
	flags.StringVar(&o.username, "username", "", "the user name for --password")
	return cmd
}

// login signs in, stores the sign-in, and asks the library for the user.
func login(ctx context.Context, a *command.App, cmd *cobra.Command, o *loginOptions) error {
	if o.clientCredentials && o.password {
		return command.Usage(cmd, "--password", "does not go together with --client-credentials")
	}
	if o.device && (o.clientCredentials || o.password || o.noBrowser) {
		return command.Usage(cmd, "--device", "does not go together with --no-browser, --password and --client-credentials")
	}
	if o.password && o.secretFile == "-" {
		return command.Usage(cmd, "--secret-file", "cannot be standard input: the password is read from there")
	}
	store, err := a.Profiles()
	if err != nil {
		return err
	}
	server, err := serverToJoin(ctx, a, cmd, o)
	if err != nil {
		return err
	}
	needsBrowser := !o.noBrowser && !o.device && !o.clientCredentials && !o.password
	if needsBrowser && !a.Term.CanTell() && !a.Term.CanOpen() {
		return command.Usage(cmd, "", "there is no browser to open here, and no terminal to show the address of the login page at.\n"+
			"  A program signs in with --client-credentials, or has a token in LIBRARY_TOKEN;\n"+
			"  a person signs in with the browser of another machine (--device), or opens the address that --no-browser prints")
	}
	warnOfPlainHTTP(a, server.Address, server.Issuer)
	provider, err := client.Discover(ctx, server.Issuer, nil)
	if err != nil {
		return command.Fail(command.ExitFailed, "%w.\nRun 'library doctor' with the same --issuer to look at it more closely.", err)
	}
	token, secret, err := grant(ctx, a, cmd, o, provider, &server)
	if err != nil {
		return explainGrant(o, server, err)
	}
	place, err := store.Save(ctx, server, secret, token)
	if err != nil {
		return err
	}
	if place == profile.InFile {
		a.Say("The token is kept in a file that only you can read, since no keyring is used.")
	}
	return welcome(ctx, a, store, server, token)
}

// serverToJoin returns the library to sign in to, with its known settings.
func serverToJoin(ctx context.Context, a *command.App, cmd *cobra.Command, o *loginOptions) (profile.Server, error) {
	_, all, err := a.RememberedServers()
	if err != nil {
		return profile.Server{}, err
	}
	known, err := knownOrNew(a, cmd, all)
	if err != nil {
		return profile.Server{}, err
	}
	server := profile.Server{Address: known.Address, Kind: profile.Person, Issuer: a.Setting(o.issuer, "LIBRARY_ISSUER")}
	if o.library, err = client.AskResource(ctx, server.Address); err != nil {
		a.Message("%s is passed over: %s.", api.ResourceMetadataAddress(server.Address), err.Error())
	}
	if o.clientCredentials {
		server.Kind, server.Scopes = profile.Service, o.scopes
	}
	switch {
	case server.Issuer != "":
	case known.Issuer != "":
		server.Issuer = known.Issuer
	case o.library.Issuer != "":
		server.Issuer = o.library.Issuer
	case server.Address == command.DemoServer:
		server.Issuer = command.DemoIssuer
	default:
		return profile.Server{}, command.Usage(cmd, "--issuer", "is needed the first time: the address of the identity provider that "+server.Address+" trusts")
	}
	server.ClientID = a.Setting(o.clientID, "LIBRARY_CLIENT_ID")
	switch {
	case server.ClientID != "":
	case o.clientCredentials:
		return profile.Server{}, command.Usage(cmd, "--client-id", "is needed with --client-credentials")
	case known.Kind == profile.Person && !known.Confidential && known.Issuer == server.Issuer:
		server.ClientID = known.ClientID
	default:
		server.ClientID = command.DefaultClientID
	}
	return server, nil
}

// knownOrNew finds the library among the known ones; a new one has nothing but an address.
func knownOrNew(a *command.App, cmd *cobra.Command, all profile.Servers) (profile.Server, error) {
	chosen := a.Chosen()
	switch {
	case chosen == "" && all.Current != "":
		chosen = all.Current
	case chosen == "" && len(all.All) == 1:
		chosen = all.All[0].Address // it was not accepted the last time
	case chosen == "" && len(all.All) > 0:
		return a.SignedIn() // fails: there are several
	case chosen == "" && len(all.SignedOut) > 0:
		chosen = all.SignedOut[0].Address
	case chosen == "":
		chosen = command.DemoServer
	}
	if !strings.Contains(chosen, "://") {
		for _, servers := range []profile.Servers{all, {All: all.SignedOut}} {
			if server, err := servers.Find(chosen); err == nil {
				return server, nil
			}
		}
	}
	address, err := profile.Address(chosen)
	if err != nil {
		return profile.Server{}, command.Usage(cmd, "--server", err.Error())
	}
	if known, found := all.Get(address); found {
		return known, nil
	}
	if known, found := all.Left(address); found {
		return known, nil
	}
	return profile.Server{Address: address}, nil
}

// warnOfPlainHTTP warns before secrets are sent where all can read them.
func warnOfPlainHTTP(a *command.App, addresses ...string) {
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" {
			continue
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && !ip.IsLoopback() {
			a.Message("Warning: %s is not https. Anybody on the network between can read your token.", terminal.Clean(address))
		}
	}
}

// welcome asks the library for the signed-in user, and makes the library the
// current one. If it refuses, the sign-in is kept for a closer look, but commands
// go on speaking to the same library as before.
func welcome(ctx context.Context, a *command.App, store *profile.Store, server profile.Server, token client.Token) error {
	c, err := client.New(server.Address, client.StaticSource(token))
	if err != nil {
		return err
	}
	me, err := c.Me(ctx)
	if err != nil {
		return explainWelcome(server, err)
	}
	err = errors.Join(
		store.Describe(ctx, server.Address, command.FullName(me.User), terminal.Clean(me.Email)), store.Use(ctx, server.Address))
	if err != nil {
		return err
	}
	roles := command.RolesOf(me.Authorities)
	where := server.Address
	if me.LibraryName != "" {
		where = me.LibraryName + " (" + where + ")"
	}
	a.Message("Signed in to %s as %s (%s), %s", terminal.Clean(where), command.Painted(a.Term.PaintErr(terminal.Bold, command.FullName(me.User))), terminal.Clean(me.Email), command.JoinRoles(roles))
	if a.Token() != "" {
		a.Message("LIBRARY_TOKEN is set in the environment and is used instead of this sign-in.")
	}
	if len(roles) == 0 {
		a.Message("Without a role you can look at books, but not borrow any. Run 'library doctor' to find out why.")
	}
	return nil
}

// explainWelcome explains why the library refuses a person after the provider has let them in.
func explainWelcome(server profile.Server, err error) error {
	doctor := "Run 'library doctor --server " + server.Address + "' for details."
	refused, is := command.AsRefusal(err)
	if !is {
		return command.Fail(command.ExitFailed, "The identity provider let you in, but %w.\n%s", err, doctor)
	}
	switch {
	case refused.Code == command.CodeUnknownUser:
		return command.Fail(command.ExitNotSignedIn, "The identity provider let you in, but the library at %s has no user with your e-mail address.\n"+
			"Ask an admin of the library to add you with 'library users add', or to switch you on with 'library users activate'; then try again. %s", server.Address, doctor)
	case refused.Code == command.CodeWrongAudience:
		return command.Fail(command.ExitNotSignedIn, "The identity provider let you in, but the token is not meant for the library at %s (%s).\n"+
			"The identity provider has to put that audience into the tokens for the client %s, or the library has to be started with another --audience. %s", server.Address, terminal.Clean(refused.Description), terminal.Clean(server.ClientID), doctor)
	case refused.Code == command.CodeWrongIssuer:
		return command.Fail(command.ExitNotSignedIn, "The identity provider let you in, but the library at %s trusts another one than %s. %s",
			server.Address, terminal.Clean(server.Issuer), doctor)
	case refused.Status == http.StatusUnauthorized:
		return command.Fail(command.ExitNotSignedIn, "The identity provider let you in, but the library at %s refuses your token (%s). %s",
			server.Address, terminal.Clean(refused.Description), doctor)
	}
	return command.Fail(command.ExitFailed, "The identity provider let you in, but the library at %s does not answer as it should: %s %s",
		server.Address, command.Sentence(refused.Message), doctor)
}
