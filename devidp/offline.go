package devidp

import "time"

// An offline token is the refresh token of a client with the scope offline_access. It outlives the
// session, and a restart if there is a key file, because all that it stands for is in it, signed. It is
// good until it is revoked, its account is removed, it is not used for offlineLifetime, or its key is
// no longer published after a rotation. Each use gives a new one.

// kindOffline is the claim typ of an offline token.
const kindOffline = "Offline"

// offlineClaims are the claims of an offline token. The audience is the provider, so nobody takes it
// for an access token.
type offlineClaims struct {
	Issuer       string        `json:"iss"`
	Audience     string        `json:"aud"`
	Expires      int64         `json:"exp"`
	AuthTime     int64         `json:"auth_time"`
	ID           string        `json:"jti"` // the family
	Kind         string        `json:"typ"`
	Client       string        `json:"azp"`
	Session      string        `json:"sid"`
	User         string        `json:"user"`
	Asked        []string      `json:"asked"`
	Granted      []string      `json:"granted"`
	Confirmation *confirmation `json:"cnf,omitempty"`
}

// offlineToken returns the offline token of a family, bound to the key of the client, if there is one.
func (p *Provider) offlineToken(f family, thumbprint string) (string, error) {
	c := offlineClaims{
		Issuer: p.issuer, Audience: p.issuer, Expires: p.now().Add(offlineLifetime).Unix(), AuthTime: f.authTime.Unix(),
		ID: f.id, Kind: kindOffline, Client: f.client, Session: f.sessionID, User: f.user, Asked: f.asked, Granted: f.granted,
	}
	if f.thumbprint != "" {
		thumbprint = f.thumbprint
	}
	if thumbprint != "" {
		c.Confirmation = &confirmation{thumbprint}
	}
	return p.keys.sign(c)
}

// parseOfflineToken returns the family in an offline token that is still good.
func (p *Provider) parseOfflineToken(text string) (family, bool) {
	var c offlineClaims
	now := p.now()
	if p.keys.verify(text, now, &c) != nil || c.Kind != kindOffline || c.Issuer != p.issuer || now.Unix() >= c.Expires || p.state.hasEnded(c.ID) {
		return family{}, false
	}
	f := family{
		id: c.ID, sessionID: c.Session, user: c.User, authTime: time.Unix(c.AuthTime, 0), client: c.Client,
		asked: c.Asked, granted: c.Granted, offline: true,
	}
	if c.Confirmation != nil {
		f.thumbprint = c.Confirmation.Thumbprint
	}
	return f, true
}

// refreshOffline gives new tokens for an offline token.
func (p *Provider) refreshOffline(r tokenRequest, f family, asked []string) (any, error) {
	who := r.directory.person(f.user)
	if who == nil || f.client != r.client.ID {
		return nil, errBadRefreshToken()
	}
	if refusal := r.checkKey(f); refusal != nil {
		return nil, refusal
	}
	scopes, refusal := refreshedScopes(who, f, asked)
	if refusal != nil {
		return nil, refusal
	}
	p.log.Info("tokens issued", "grant", grantRefresh, "client", r.client.ID, "user", who.username)
	return p.issue(r, who, f, scopes, "")
}

// endOffline ends the offline tokens of a family, until the process ends.
func (s *state) endOffline(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended.put(id, struct{}{}, s.now())
}

func (s *state) hasEnded(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ended := s.ended.get(id, s.now())
	return ended
}
