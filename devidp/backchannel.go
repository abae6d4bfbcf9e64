package devidp

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	logoutEvent    = "http://schemas.openid.net/event/backchannel-logout"
	logoutLifetime = 2 * time.Minute // of logout tokens
)

// logoutClaims are the claims of a logout token (OpenID Connect Back-Channel Logout, section 2.4).
type logoutClaims struct {
	Issuer   string              `json:"iss"`
	Subject  string              `json:"sub,omitempty"`
	Audience string              `json:"aud"`
	IssuedAt int64               `json:"iat"`
	Expires  int64               `json:"exp"`
	ID       string              `json:"jti"`
	Session  string              `json:"sid"`
	Events   map[string]struct{} `json:"events"`
}

// backchannel posts logout tokens. It follows no redirect.
var backchannel = &http.Client{
	Timeout:       5 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// tellClients sends a logout token to each client with tokens of an ended session and an address for
// it, before the person gets an answer. A client that cannot be reached is logged and not tried again.
func (p *Provider) tellClients(ctx context.Context, d *directory, ended session) {
	for _, id := range slices.Sorted(maps.Keys(ended.clients)) {
		client := d.clients[id]
		if client == nil || client.BackchannelLogoutURI == "" {
			continue
		}
		if err := p.sendLogout(context.WithoutCancel(ctx), d, client, ended); err != nil {
			p.log.Warn("a client did not take a logout token", "client", id, "error", err)
		}
	}
}

func (p *Provider) sendLogout(ctx context.Context, d *directory, client *Client, ended session) error {
	now := p.now()
	claims := logoutClaims{
		Issuer: p.issuer, Audience: client.ID, IssuedAt: now.Unix(), Expires: now.Add(logoutLifetime).Unix(),
		ID: randomText(), Session: ended.id, Events: map[string]struct{}{logoutEvent: {}},
	}
	if who := d.person(ended.user); who != nil {
		claims.Subject = who.subject
	}
	token, err := p.keys.signTyped("logout+jwt", claims)
	if err != nil {
		return err
	}
	form := url.Values{"logout_token": {token}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, client.BackchannelLogoutURI, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := backchannel.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent {
		return errors.New(resp.Status)
	}
	return nil
}
