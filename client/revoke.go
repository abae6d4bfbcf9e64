package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
)

// Revoke tells the provider that a token is no longer needed: the refresh token
// if there is one, which takes its access tokens along, else the access token.
// The library service does not ask the provider about each token, so an access
// token may be good there until it expires.
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

// post sends a form to an endpoint that oauth2 does not know.
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

// EndSessionURL returns the address to which to send the browser so that the
// person is signed out at the provider, too. It goes on to returnTo afterwards,
// which has to be registered for the client, unless that is "". The address
// holds the ID token: it is for the person's browser, not for logs.
//
// The error is an [errors.ErrUnsupported] if the provider cannot do this.
func (p *Provider) EndSessionURL(c Credentials, t Token, returnTo string) (string, error) {
	if p.meta.EndSession == "" {
		return "", fmt.Errorf("the identity provider does not end sessions: %w", errors.ErrUnsupported)
	}
	query := url.Values{"client_id": {c.ID}}
	if t.ID != "" {
		query.Set("id_token_hint", t.ID)
	}
	if returnTo != "" {
		query.Set("post_logout_redirect_uri", returnTo)
	}
	separator := "?"
	if strings.Contains(p.meta.EndSession, "?") {
		separator = "&"
	}
	return p.meta.EndSession + separator + query.Encode(), nil
}
