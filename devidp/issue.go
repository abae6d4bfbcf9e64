package devidp

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"
)

// audience is the service for which access tokens are.
const audience = "library-service"

// Kinds of tokens, as the claim typ says them.
const (
	kindAccess = "Bearer"
	kindID     = "ID"
)

// tokenResponse is the answer of the token endpoint. Grants without a session leave out the
// members of a session.
type tokenResponse struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int    `json:"expires_in"`
	RefreshExpiresIn int    `json:"refresh_expires_in,omitempty"`
	RefreshToken     string `json:"refresh_token,omitempty"`
	TokenType        string `json:"token_type"`
	IDToken          string `json:"id_token,omitempty"`
	NotBeforePolicy  int    `json:"not-before-policy"`
	SessionState     string `json:"session_state,omitempty"`
	Scope            string `json:"scope"`
}

func newTokenResponse(access, thumbprint string, scopes []string) tokenResponse {
	return tokenResponse{
		AccessToken: access, ExpiresIn: int(tokenLifetime / time.Second),
		TokenType: tokenType(thumbprint), Scope: strings.Join(scopes, " "),
	}
}

// userClaims describe an account in tokens and userinfo. Each scope uncovers a part of it.
type userClaims struct {
	Email             string `json:"email,omitempty"`
	EmailVerified     *bool  `json:"email_verified,omitempty"`
	Name              string `json:"name,omitempty"`
	PreferredUsername string `json:"preferred_username,omitempty"`
	GivenName         string `json:"given_name,omitempty"`
	FamilyName        string `json:"family_name,omitempty"`
}

func claimsOf(who *account, scopes []string) userClaims {
	var c userClaims
	if slices.Contains(scopes, scopeEmail) {
		c.Email, c.EmailVerified = who.email, &who.emailVerified
	}
	if slices.Contains(scopes, scopeProfile) {
		c.Name, c.PreferredUsername = who.name(), who.username
		c.GivenName, c.FamilyName = who.firstName, who.lastName
	}
	return c
}

// accessClaims are the claims of an access token.
type accessClaims struct {
	Issuer       string   `json:"iss"`
	Subject      string   `json:"sub"`
	Audience     []string `json:"aud"`
	Expires      int64    `json:"exp"`
	IssuedAt     int64    `json:"iat"`
	ID           string   `json:"jti"`
	Kind         string   `json:"typ"`
	Client       string   `json:"azp"`
	Session      string   `json:"sid,omitempty"`
	SessionState string   `json:"session_state,omitempty"`
	Scope        string   `json:"scope"`
	Groups       []string `json:"groups"`
	userClaims
	Confirmation *confirmation `json:"cnf,omitempty"`
}

func (p *Provider) accessClaims(client *Client, who *account, scopes []string, session, jti string) accessClaims {
	now := p.now()
	return accessClaims{
		Issuer: p.issuer, Subject: who.subject, Audience: []string{audience},
		Expires: now.Add(tokenLifetime).Unix(), IssuedAt: now.Unix(),
		ID: jti, Kind: kindAccess, Client: client.ID,
		Session: session, SessionState: session, Scope: strings.Join(scopes, " "),
		Groups: append([]string{}, who.groups...), userClaims: claimsOf(who, scopes),
	}
}

// idClaims are the claims of an ID token.
type idClaims struct {
	Issuer     string   `json:"iss"`
	Subject    string   `json:"sub"`
	Audience   string   `json:"aud"`
	Expires    int64    `json:"exp"`
	IssuedAt   int64    `json:"iat"`
	AuthTime   int64    `json:"auth_time"`
	ID         string   `json:"jti"`
	Kind       string   `json:"typ"`
	Client     string   `json:"azp"`
	Session    string   `json:"sid"`
	Nonce      string   `json:"nonce,omitempty"`
	AccessHash string   `json:"at_hash"`
	Groups     []string `json:"groups"`
	userClaims
}

// issue makes the tokens of a family's current number.
func (p *Provider) issue(r tokenRequest, who *account, f family, scopes []string, nonce string) (any, error) {
	client, jti := r.client, randomText()
	if !f.offline {
		jti = f.id + "." + jti
		p.state.bind(f.id, r.thumbprint)
	}
	access, err := p.keys.sign(p.accessClaims(client, who, scopes, f.sessionID, jti).bindTo(r.thumbprint))
	if err != nil {
		return nil, err
	}
	response := newTokenResponse(access, r.thumbprint, scopes)
	response.SessionState = f.sessionID
	switch {
	case !client.allows(grantRefresh):
	case f.offline || slices.Contains(f.asked, scopeOffline):
		response.RefreshExpiresIn = int(offlineLifetime / time.Second)
		if response.RefreshToken, err = p.offlineToken(f, r.thumbprint); err != nil {
			return nil, err
		}
	default:
		response.RefreshToken = p.seal.refreshToken(f.id, f.number)
		response.RefreshExpiresIn = int(refreshLifetime / time.Second)
	}
	if slices.Contains(scopes, scopeOpenID) {
		response.IDToken, err = p.idToken(client, who, f, scopes, nonce, access)
	}
	return response, err
}

func (p *Provider) idToken(client *Client, who *account, f family, scopes []string, nonce, access string) (string, error) {
	now := p.now()
	return p.keys.sign(idClaims{
		Issuer: p.issuer, Subject: who.subject, Audience: client.ID,
		Expires: now.Add(tokenLifetime).Unix(), IssuedAt: now.Unix(), AuthTime: f.authTime.Unix(),
		ID: randomText(), Kind: kindID, Client: client.ID, Session: f.sessionID,
		Nonce: nonce, AccessHash: accessHash(access),
		Groups: append([]string{}, who.groups...), userClaims: claimsOf(who, scopes),
	})
}

// accessHash ties an ID token to its access token: the left half of its hash
// (OpenID Connect Core, section 3.1.3.6).
func accessHash(access string) string {
	sum := sha256.Sum256([]byte(access))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}
