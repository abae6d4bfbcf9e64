package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// ClientCredentials gets a token for the program itself, without a person.
// There is no refresh token with it: a program asks again.
func (p *Provider) ClientCredentials(ctx context.Context, c Credentials, scopes ...string) (Token, error) {
	style, err := authStyle(c, p.meta.TokenAuth)
	if err != nil {
		return Token{}, err
	}
	config := clientcredentials.Config{
		ClientID: c.ID, ClientSecret: c.Secret, TokenURL: p.meta.Token, AuthStyle: style, Scopes: scopes,
	}
	const doing = "asking for a token with client credentials"
	got, err := config.Token(p.context(ctx))
	if err != nil {
		return Token{}, grantError(doing, err)
	}
	t, err := newToken(got, Token{Scope: scopes, Key: p.key}, time.Now())
	t.Refresh, t.RefreshExpiry, t.ID = "", time.Time{}, "" // there is no session that they could belong to
	return wholeToken(doing, t, err)
}

// Password gets a token for a person's name and password. It is for tests
// only: it takes a person's password to a program that has no business knowing
// it, past everything that a provider can do to make signing in safe. Use
// [Provider.SignIn].
func (p *Provider) Password(ctx context.Context, c Credentials, username, password string, scopes ...string) (Token, error) {
	config, err := p.config(c, scopes)
	if err != nil {
		return Token{}, err
	}
	const doing = "asking for a token with a password"
	got, err := config.PasswordCredentialsToken(p.context(ctx), username, password)
	if err != nil {
		return Token{}, grantError(doing, err)
	}
	t, err := newToken(got, Token{Scope: scopes, Key: p.key}, time.Now())
	if err == nil && t.ID != "" {
		err = p.verifyID(ctx, c.ID, t, "")
	}
	return wholeToken(doing, t, err)
}

// wholeToken is a token that was checked, or says what was done when that failed.
func wholeToken(doing string, t Token, err error) (Token, error) {
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", doing, err)
	}
	return t, nil
}

// Refresh gets a new token for one that has a refresh token. The refresh token
// is used up by that, as a rule, and the new token has another one, which has
// to be stored before anything else is done. [Provider.Source] does that.
//
// The error is an [ErrSessionEnded] if the refresh token is no longer good.
//
// The new token has the ID token of the old one, which was checked when it
// came: it only says who signed in, and nothing has changed about that.
func (p *Provider) Refresh(ctx context.Context, c Credentials, old Token) (Token, error) {
	if old.Refresh == "" {
		return Token{}, fmt.Errorf("%w (there is no refresh token)", ErrSessionEnded)
	}
	if old.Key != nil { // the refresh token may be bound to it, too
		p = p.WithKey(old.Key)
	}
	config, err := p.config(c, nil)
	if err != nil {
		return Token{}, err
	}
	const doing = "renewing the token"
	got, err := config.TokenSource(p.context(ctx), &oauth2.Token{RefreshToken: old.Refresh}).Token()
	if err != nil {
		err = grantError(doing, err)
		if refused, ok := errors.AsType[*ProviderError](err); ok && refused.Code == "invalid_grant" && refused.Status < 500 && refused.Status != http.StatusTooManyRequests {
			return Token{}, ErrSessionEnded
		}
		return Token{}, err
	}
	t, err := newToken(got, old, time.Now())
	t.ID = old.ID
	return wholeToken(doing, t, err)
}

func (p *Provider) config(c Credentials, scopes []string) (*oauth2.Config, error) {
	style, err := authStyle(c, p.meta.TokenAuth)
	if err != nil {
		return nil, err
	}
	return &oauth2.Config{
		ClientID: c.ID, ClientSecret: c.Secret, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: p.meta.Authorization, TokenURL: p.meta.Token, AuthStyle: style},
	}, nil
}

// authStyle decides how a client shows its secret: in the form, which is what
// the library documents, unless the provider says that it requires the header. It
// is never found out by trying, since trying uses up a code.
func authStyle(c Credentials, methods []string) (oauth2.AuthStyle, error) {
	switch {
	case c.ID == "":
		return 0, errors.New("the client id is missing")
	case c.Secret == "", len(methods) == 0, slices.Contains(methods, "client_secret_post"):
		return oauth2.AuthStyleInParams, nil
	case slices.Contains(methods, "client_secret_basic"):
		return oauth2.AuthStyleInHeader, nil
	}
	return 0, errors.New("the identity provider does not take client secrets; this client knows no other way")
}
