package account

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// usualScopes are asked for when a person signs in. Roles are scopes, too, but
// the provider gives a person all that they have, asked or not.
var usualScopes = []string{"openid", "email", "profile"}

// grant gets a token in the way that was asked for. It also returns the secret
// of the client, "" if it has none.
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

// hasSecret reports whether the client is one that has a secret, as far as that
// can be known. The usual one of this program has none, unless it is named.
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

// explainProvider puts what the client says about the provider into a sentence.
func explainProvider(err error) error {
	return command.Fail(command.ExitFailed, "%w.\nRun 'library doctor' with the same --issuer to look at it more closely.", err)
}

// explainGrant says why there was no token, and what to do.
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
