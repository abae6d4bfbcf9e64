package devidp

import "github.com/google/uuid"

// clientGrant gives a client a token for its own account. There is no session
// and no refresh token: the client can ask again at any time.
func (p *Provider) clientGrant(r tokenRequest) (any, error) {
	asked, refusal := parseScope(r.form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	who := r.directory.services[r.client.ID]
	// Without a person there is no ID token.
	scopes := without(grantedScopes(who, asked), scopeOpenID)
	access, err := p.keys.sign(p.accessClaims(r.client, who, scopes, "", uuid.NewString()).bindTo(r.thumbprint))
	if err != nil {
		return nil, err
	}
	p.log.Info("tokens issued", "grant", grantClient, "client", r.client.ID)
	return newTokenResponse(access, r.thumbprint, scopes), nil
}
