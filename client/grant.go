package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
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

// Password gets a token for a person's name and password. It is for tests only: it takes a
// person's password to another program, past everything that makes signing in at a provider safe.
// Use [Provider.SignIn].
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

// wholeToken checks a token; its error names the failed action.
func wholeToken(doing string, t Token, err error) (Token, error) {
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", doing, err)
	}
	return t, nil
}

// Refresh gets a new token for one with a refresh token. As a rule this uses up the refresh token,
// and the new token has another one, to be stored before anything else is done. [Provider.Source]
// does so.
//
// The error is an [ErrSessionEnded] if the refresh token is no longer good.
//
// The new token keeps the ID token of the old one, already checked: it only names the person, and
// this has not changed.
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

// authStyle decides how a client shows its secret: in the form, as the library documents, unless
// the provider requires the header. It is never found out by trying, since trying uses up a code.
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

// Revoke revokes a token at the provider: the refresh token if there is one, and so its access
// tokens, too, else the access token. The library service does not ask the provider about each
// token, so an access token may be good there until it expires.
//
// The error is an [errors.ErrUnsupported] if the provider cannot do this.
func (p *Provider) Revoke(ctx context.Context, c Credentials, t Token) error {
	if p.meta.Revocation == "" {
		return fmt.Errorf("the identity provider does not revoke tokens: %w", errors.ErrUnsupported)
	}
	style, err := authStyle(c, p.meta.RevocationAuth)
	if err != nil {
		return err
	}
	form := url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	if t.Refresh == "" {
		form = url.Values{"token": {t.Access}, "token_type_hint": {"access_token"}}
	}
	const doing = "revoking the token"
	resp, err := p.post(ctx, p.meta.Revocation, c, style, form)
	if err != nil {
		return transportError(doing, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil // whatever else it says (RFC 7009, section 2.2)
	}
	var answer struct {
		Code string `json:"error"`
	}
	_ = json.NewDecoder(resp.Body).Decode(&answer) // without a code the status has to do
	return refusal(doing, resp.StatusCode, answer.Code)
}

// EndSession ends the session of a sign-in at the provider (OpenID Connect RP-Initiated Logout), which then tells
// others that listen to it. It does nothing if the provider has no address for it, or the token no ID token. A
// provider that wants to ask the person first leaves the session as it is.
func (p *Provider) EndSession(ctx context.Context, c Credentials, t Token) error {
	if p.meta.EndSession == "" || t.ID == "" {
		return nil
	}
	const doing = "ending the session"
	separator := "?"
	if strings.Contains(p.meta.EndSession, "?") {
		separator = "&"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.meta.EndSession+separator+url.Values{"id_token_hint": {t.ID}, "client_id": {c.ID}}.Encode(), nil)
	if err != nil {
		return err
	}
	resp, err := p.http.Do(r)
	if err != nil {
		return transportError(doing, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return refusal(doing, resp.StatusCode, "")
	}
	return nil
}

// post sends a form to an endpoint unknown to oauth2.
func (p *Provider) post(ctx context.Context, address string, c Credentials, style oauth2.AuthStyle, form url.Values) (*http.Response, error) {
	if style == oauth2.AuthStyleInParams {
		form.Set("client_id", c.ID)
		if c.Secret != "" {
			form.Set("client_secret", c.Secret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if style == oauth2.AuthStyleInHeader {
		r.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.http.Do(r)
}
