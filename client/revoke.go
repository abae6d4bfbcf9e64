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

// Revoke revokes a token at the provider: the refresh token if there is one, which
// ends its access tokens, too, else the access token.
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
