package devidp

import (
	"net/http"
	"strings"
)

// introspection is the answer of RFC 7662 about a token. About a token that is not
// active it says nothing else.
type introspection struct {
	Active    bool     `json:"active"`
	Scope     string   `json:"scope,omitempty"`
	Client    string   `json:"client_id,omitempty"`
	Username  string   `json:"username,omitempty"`
	TokenType string   `json:"token_type,omitempty"`
	Expires   int64    `json:"exp,omitempty"`
	IssuedAt  int64    `json:"iat,omitempty"`
	Subject   string   `json:"sub,omitempty"`
	Audience  []string `json:"aud,omitempty"`
	Issuer    string   `json:"iss,omitempty"`
	ID        string   `json:"jti,omitempty"`
	Session   string   `json:"sid,omitempty"`
	Groups    []string `json:"groups,omitempty"`
	*userClaims
	Confirmation *confirmation `json:"cnf,omitempty"`
}

// introspect answers a confidential client whether a token is active. The type hint
// is not needed: the token itself shows its type.
func (p *Provider) introspect(r *http.Request) (any, error) {
	form, client, err := p.clientRequest(r)
	if err != nil {
		return nil, err
	}
	if client.public() { // its name is no secret
		return nil, invalidClient(false)
	}
	token := form.get("token")
	if token == "" {
		return nil, errMissing("token")
	}
	if c, who, ok := p.bearer(token); ok {
		return introspectAccess(c, who), nil
	}
	return p.introspectRefresh(token, client), nil
}

func introspectAccess(c accessClaims, who *account) introspection {
	kind := "bearer"
	if c.Confirmation != nil {
		kind = tokenType(c.Confirmation.Thumbprint)
	}
	return introspection{
		Active: true, Scope: c.Scope, Client: c.Client, Username: who.username,
		TokenType: kind, Confirmation: c.Confirmation, Expires: c.Expires, IssuedAt: c.IssuedAt, Subject: c.Subject,
		Audience: c.Audience, Issuer: c.Issuer, ID: c.ID, Session: c.Session,
		Groups: c.Groups, userClaims: &c.userClaims,
	}
}

// introspectRefresh says of a refresh token only to its own client what it is.
func (p *Provider) introspectRefresh(text string, client *Client) introspection {
	token, ok := p.seal.parseRefreshToken(text)
	if !ok {
		return introspection{}
	}
	f, ok := p.state.familyOf(token.family)
	who := p.directory.Load().person(f.user)
	if !ok || f.number != token.number || f.client != client.ID || who == nil {
		return introspection{}
	}
	return introspection{
		Active: true, Scope: strings.Join(grantedScopes(who, f.asked), " "), Client: f.client,
		Username: who.username, Subject: who.subject, Issuer: p.issuer, Session: f.sessionID,
	}
}
