package devidp

import "slices"

// refreshGrant gives new tokens for a refresh token. The scopes are computed
// anew: who has left a group loses its scope here.
func (p *Provider) refreshGrant(r tokenRequest) (any, error) {
	text := r.form.get("refresh_token")
	if text == "" {
		return nil, errMissing("refresh_token")
	}
	asked, refusal := parseScope(r.form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	token, ok := p.seal.parseRefreshToken(text)
	if !ok {
		return nil, errBadRefreshToken()
	}
	var who *account
	var scopes []string
	fam, result, refusal := p.state.refresh(token, r.client.ID, func(f family) *oauthError {
		if who = r.directory.person(f.user); who == nil {
			return errBadRefreshToken()
		}
		if r.client.public() && f.thumbprint != "" && f.thumbprint != r.thumbprint {
			return invalidGrant("The refresh token is bound to another key")
		}
		var refusal *oauthError
		scopes, refusal = refreshedScopes(who, f, asked)
		return refusal
	})
	switch {
	case refusal != nil:
		return nil, refusal
	case result == reused:
		p.log.Warn("refresh token used again: the tokens of its session are revoked", "client", r.client.ID)
		return nil, errBadRefreshToken()
	case result == refused:
		return nil, errBadRefreshToken()
	}
	p.log.Info("tokens issued", "grant", grantRefresh, "client", r.client.ID, "user", who.username)
	return p.issue(r, who, fam, scopes, "")
}

func errBadRefreshToken() *oauthError {
	return invalidGrant("The refresh token is unknown, used or expired")
}

// refreshedScopes returns what the account gets now. A request may name fewer
// scopes, but none that was never given (RFC 6749, section 6).
func refreshedScopes(who *account, f family, asked []string) ([]string, *oauthError) {
	now := grantedScopes(who, f.asked)
	if len(asked) == 0 {
		return now, nil
	}
	if missing(slices.Concat(now, f.granted), asked) {
		return nil, refuse("invalid_scope", "The scope exceeds what was granted")
	}
	return intersect(now, asked), nil
}
