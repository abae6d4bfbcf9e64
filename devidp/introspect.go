package devidp

import (
	"net/http"
	"strings"
)

// bearer returns the claims and the account of a live access token. Expiry, revocation, the end of
// its session and the removal of its user all make it worthless.
func (p *Provider) bearer(token string) (accessClaims, *account, bool) {
	var c accessClaims
	now := p.now()
	if p.keys.verify(token, now, &c) != nil || c.Kind != kindAccess || c.Issuer != p.issuer {
		return c, nil, false
	}
	who := p.directory.Load().subjects[c.Subject]
	if who == nil || now.Unix() >= c.Expires || !p.state.alive(c.ID) {
		return c, nil, false
	}
	return c, who, true
}

// userinfo answers with the claims about the subject of an access token (OpenID
// Connect Core, section 5.3). It takes the token from the header alone, and answers as RFC 6750 says.
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	fields := r.Header.Values("Authorization")
	scheme, token := "", ""
	if len(fields) == 1 {
		scheme, token, _ = strings.Cut(fields[0], " ")
	}
	if len(fields) > 1 {
		refuseBearer(w, http.StatusBadRequest, `Bearer error="invalid_request", error_description="More than one Authorization field"`)
		return
	}
	scheme, token = foldASCII(scheme), strings.TrimLeft(token, " ")
	if scheme != "bearer" && scheme != "dpop" {
		refuseBearer(w, http.StatusUnauthorized, "Bearer")
		return
	}
	c, who, ok := p.bearer(token)
	if ok && (scheme == "dpop") != (c.Confirmation != nil) {
		ok = false
	}
	if ok && scheme == "dpop" {
		thumbprint, refusal := p.proofKey(r, pathUserinfo, token)
		if refusal != nil || thumbprint != c.Confirmation.Thumbprint {
			refuseBearer(w, http.StatusUnauthorized, `DPoP error="invalid_dpop_proof", algs="`+proofAlgorithm+`"`)
			return
		}
	}
	if !ok {
		refuseBearer(w, http.StatusUnauthorized, `Bearer error="invalid_token", error_description="The token is unknown, expired or revoked"`)
		return
	}
	scopes := strings.Fields(c.Scope)
	writeJSON(w, http.StatusOK, struct {
		Subject string   `json:"sub"`
		Groups  []string `json:"groups"`
		userClaims
	}{who.subject, append([]string{}, who.groups...), claimsOf(who, scopes)})
}

// refuseBearer writes a refusal with a challenge and no details.
func refuseBearer(w http.ResponseWriter, status int, challenge string) {
	w.Header().Set("WWW-Authenticate", challenge)
	http.Error(w, http.StatusText(status), status)
}

// introspection is the answer of RFC 7662 about a token. About an inactive token it says nothing
// else.
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

// introspectRefresh describes a refresh token to its own client alone.
func (p *Provider) introspectRefresh(text string, client *Client) introspection {
	f, ok := p.parseOfflineToken(text)
	if !ok {
		var token refreshToken
		token, _ = p.seal.parseRefreshToken(text)
		f, ok = p.state.familyOf(token.family)
		ok = ok && f.number == token.number
	}
	who := p.directory.Load().person(f.user)
	if !ok || f.client != client.ID || who == nil {
		return introspection{}
	}
	return introspection{
		Active: true, Scope: strings.Join(grantedScopes(who, f.asked), " "), Client: f.client,
		Username: who.username, Subject: who.subject, Issuer: p.issuer, Session: f.sessionID,
	}
}

// revoke makes a token worthless (RFC 7009). A refresh token takes its whole family along, the
// access tokens included. The answer is the same for a worthless token, and for another client's,
// left as it is. It is empty JSON because some clients read it as JSON.
func (p *Provider) revoke(r *http.Request) (any, error) {
	form, client, err := p.clientRequest(r)
	if err != nil {
		return nil, err
	}
	text := form.get("token")
	if text == "" {
		return nil, errMissing("token")
	}
	done := struct{}{}
	if f, ok := p.parseOfflineToken(text); ok {
		if f.client == client.ID {
			p.state.endOffline(f.id)
			p.log.Info("offline token revoked", "client", client.ID)
		}
		return done, nil
	}
	if token, ok := p.seal.parseRefreshToken(text); ok {
		if p.state.endFamily(token.family, client.ID) {
			p.log.Info("refresh token revoked", "client", client.ID)
		}
		return done, nil
	}
	if c, _, ok := p.bearer(text); ok && c.Client == client.ID {
		p.state.revoke(c.ID)
		p.log.Info("access token revoked", "client", client.ID)
	}
	return done, nil
}
