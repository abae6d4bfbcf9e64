package account

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// usualScopes are requested when a person signs in. Roles are scopes, too, but
// the provider gives a person all of their roles, asked or not.
var usualScopes = []string{"openid", "email", "profile"}

// grant gets a token in the way the flags ask for. It also returns the secret of
// the client, "" if it has none.
func grant(ctx context.Context, a *command.App, cmd *cobra.Command, o *loginOptions, p *client.Provider, server *profile.Server) (client.Token, string, error) {
	credentials := client.Credentials{ID: server.ClientID}
	if hasSecret(a, o, server.ClientID) {
		secret, err := clientSecret(ctx, a, o.secretFile)
		if err != nil {
			return client.Token{}, "", err
		}
		if secret == "" && o.clientCredentials {
			return client.Token{}, "", command.Usage(cmd, "--secret-file", "is needed, or LIBRARY_CLIENT_SECRET: a client signs in with its secret")
		}
		credentials.Secret, server.Confidential = secret, secret != ""
	}
	if o.library.DPoP && p.OffersBoundTokens() {
		key, err := client.NewKey()
		if err != nil {
			return client.Token{}, "", err
		}
		p = p.WithKey(key)
	}
	var token client.Token
	var err error
	switch {
	case o.clientCredentials:
		token, err = p.ClientCredentials(ctx, credentials, o.scopes...)
	case o.password:
		token, err = byPassword(ctx, a, cmd, o, p, credentials)
	case o.device:
		token, err = onAnotherDevice(ctx, a, o, p, credentials)
	default:
		token, err = inBrowser(ctx, a, o, p, credentials)
	}
	return token, credentials.Secret, err
}

// hasSecret reports whether the client has a secret, as far as can be known. The
// default client of this program has none unless a flag says so.
func hasSecret(a *command.App, o *loginOptions, clientID string) bool {
	inVariable, _ := a.Env.Lookup("LIBRARY_CLIENT_SECRET")
	return o.clientCredentials || o.secretFile != "" || clientID != command.DefaultClientID && (o.password || inVariable != "")
}

func (o *loginOptions) allScopes() []string {
	scopes := slices.Clone(usualScopes)
	for _, scope := range slices.Concat(o.library.Scopes, o.scopes) {
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// byPassword signs in without a browser. It is for tests.
func byPassword(ctx context.Context, a *command.App, cmd *cobra.Command, o *loginOptions, p *client.Provider, c client.Credentials) (client.Token, error) {
	a.Message("Signing in with a password is for testing only: a password belongs in the login page of the identity provider, not in another program.")
	username, err := o.username, error(nil)
	if username == "" {
		if username, err = ask(ctx, a, "User name: "); errors.Is(err, terminal.ErrNobodyThere) {
			return client.Token{}, command.Usage(cmd, "--username", "is needed where there is no terminal to ask at")
		} else if err != nil {
			return client.Token{}, err
		}
	}
	password, err := secretLine(ctx, a, "Password: ")
	if err != nil {
		return client.Token{}, err
	}
	if password == "" {
		return client.Token{}, command.Usage(cmd, "--password", "needs the password as the first line of standard input, or a terminal to ask at")
	}
	return p.Password(ctx, c, username, password, o.allScopes()...)
}

// explainGrant explains why there is no token, and how to go on.
func explainGrant(o *loginOptions, server profile.Server, err error) error {
	var refused *client.ProviderError
	var own *command.Failure
	var badUsage *command.UsageError
	id := terminal.Clean(server.ClientID)
	switch {
	case errors.As(err, &own), errors.As(err, &badUsage):
		return err
	case errors.Is(err, client.ErrDenied):
		return command.Fail(command.ExitNotSignedIn, "You are not signed in: access was denied at the login page. Run 'library login' to try again.")
	case errors.Is(err, context.DeadlineExceeded):
		return command.Fail(command.ExitNotSignedIn, "You are not signed in: it was not finished in time. Run 'library login' to try again.")
	case !errors.As(err, &refused):
		return err
	case refused.Status == http.StatusTooManyRequests:
		return command.Fail(command.ExitNotSignedIn, "The identity provider has had too many failed attempts. Wait a minute, then try again.")
	case o.password && refused.Code == "invalid_grant":
		return command.Fail(command.ExitNotSignedIn, "The identity provider refused: the user name or the password is wrong.")
	case o.password && refused.Code == "unauthorized_client":
		return command.Fail(command.ExitNotSignedIn, "The client %s may not sign in with a password. Leave --password out to use your browser,\n"+
			"or name a client that may with --client-id and LIBRARY_CLIENT_SECRET; at 'library idp' that is library-client.", id)
	case o.device && (refused.Code == "unauthorized_client" || refused.Code == "unsupported_grant_type"):
		return command.Fail(command.ExitNotSignedIn, "The client %s may not sign in with --device: its registration at the identity provider would have to\n"+
			"allow the device authorization grant. Leave --device out to use a browser on this machine.", id)
	case refused.Code == "unauthorized_client":
		return command.Fail(command.ExitNotSignedIn, "The client %s may not sign in in this way; its registration at the identity provider would have to allow it.", id)
	case refused.Code == "invalid_client":
		return command.Fail(command.ExitNotSignedIn, "The identity provider does not know the client %s with this secret. Check --client-id and the secret.", id)
	case refused.Code == "invalid_scope":
		return command.Fail(command.ExitNotSignedIn, "The identity provider does not give one of these scopes to %s: %s.", id, terminal.Clean(strings.Join(o.allScopes(), " ")))
	}
	return command.Fail(command.ExitNotSignedIn, "%w.", err)
}

// inBrowser lets the person sign in at the provider's own page, and announces the wait for it.
func inBrowser(ctx context.Context, a *command.App, o *loginOptions, p *client.Provider, c client.Credentials) (client.Token, error) {
	options := client.SignInOptions{Client: c, Scopes: o.allScopes(), For: o.library}
	short := ""
	options.Short = func(address string) { short = terminal.Clean(address) }
	before := ""
	if !o.noBrowser {
		before = "There is no browser to open here. "
		options.Launch = func(address string) error {
			if err := a.Term.Open(address); err != nil {
				return err
			}
			a.Message("Opening the login page of %s in your browser.\nIf nothing opens, go to %s yourself.", terminal.Clean(p.Issuer()), short)
			a.Message("Waiting for you to sign in there (Ctrl-C gives up).")
			return nil
		}
	}
	options.Open = func(address string) error {
		a.Message("%sOpen this address in a browser on this machine to sign in:\n\n  %s\n\nor, if you have to type it, this one:\n\n  %s\n",
			before, terminal.Clean(address), short)
		if overSSH(a) {
			a.Message("You are here over SSH. If your browser is on another machine, press Ctrl-C and run 'library login --device'.")
		}
		a.Message("Waiting for you to sign in there (Ctrl-C gives up).")
		return nil
	}
	return p.SignIn(ctx, options)
}

func overSSH(a *command.App) bool {
	set := func(name string) bool { value, _ := a.Env.Lookup(name); return value != "" }
	return set("SSH_CONNECTION") && !set("DISPLAY") && !set("WAYLAND_DISPLAY")
}

func onAnotherDevice(ctx context.Context, a *command.App, o *loginOptions, p *client.Provider, c client.Credentials) (client.Token, error) {
	return p.SignInDevice(ctx, client.DeviceOptions{Client: c, Scopes: o.allScopes(), For: o.library, Show: func(prompt client.DevicePrompt) error {
		a.Message("Open this address in a browser on any machine:\n\n  %s\n\nand type this code:\n\n  %s\n",
			terminal.Clean(prompt.Address), command.Painted(a.Term.PaintErr(terminal.Bold, terminal.Clean(prompt.Code))))
		if minutes := int(time.Until(prompt.Expiry).Round(time.Minute) / time.Minute); minutes > 1 {
			a.Message("Waiting for you to allow it there, for up to %d minutes (Ctrl-C gives up).", minutes)
		} else {
			a.Message("Waiting for you to allow it there (Ctrl-C gives up).")
		}
		return nil
	}})
}

// ask asks the person for a line. An interruption does not wait for the answer.
func ask(ctx context.Context, a *command.App, question string) (string, error) {
	return command.Await(ctx, func() (string, error) { return a.Term.Ask(question) })
}

// askSecret asks the person for a line without showing it. After an interruption
// the terminal shows typed text again.
func askSecret(ctx context.Context, a *command.App, question string) (string, error) {
	if file := stdinTerminal(a); file != nil {
		if state, err := term.GetState(int(file.Fd())); err == nil {
			defer term.Restore(int(file.Fd()), state)
		}
	}
	return command.Await(ctx, func() (string, error) { return a.Term.AskSecret(question) })
}

// stdinTerminal returns standard input if it is a terminal, else nil.
func stdinTerminal(a *command.App) *os.File {
	file, ok := a.Env.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// secretLine returns a secret: it asks at a terminal, and else reads the first
// line of standard input.
func secretLine(ctx context.Context, a *command.App, question string) (string, error) {
	if a.Term.CanAsk() {
		return askSecret(ctx, a, question)
	}
	if stdinTerminal(a) != nil {
		return "", terminal.ErrNobodyThere // it would be shown while it is typed
	}
	return command.Await(ctx, func() (string, error) { return firstLine(a.Term.In) })
}

const maxSecret = 4096

var errLongSecret = errors.New("the secret is too long")

func firstLine(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if len(line) > maxSecret {
		return "", errLongSecret
	}
	return strings.TrimSuffix(line, "\r"), nil
}

// clientSecret finds the secret of a client: in a file, in the environment, or by asking. It is
// never the value of a flag: every user of the machine could read it in the list of processes.
func clientSecret(ctx context.Context, a *command.App, path string) (string, error) {
	fromVariable, _ := a.Env.Lookup("LIBRARY_CLIENT_SECRET")
	switch {
	case path != "":
		file, err := a.OpenInput(ctx, path)
		if err != nil {
			return "", command.Fail(command.ExitUsage, "--secret-file cannot be read: %w", err)
		}
		defer file.Close()
		return firstLine(file)
	case fromVariable != "":
		return fromVariable, nil
	case a.Term.CanAsk():
		return askSecret(ctx, a, "Secret of the client (Enter if it has none): ")
	}
	return "", nil
}
