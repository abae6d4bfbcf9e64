package devidp

import "net/http"

// revoke makes a token worthless (RFC 7009). A refresh token takes its whole
// family along, the access tokens included. The answer is the same for a token
// that was worth nothing before, and for another client's, which stays as it
// is. It is JSON, though empty, because some clients read it as that.
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
