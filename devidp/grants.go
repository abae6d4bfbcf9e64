package devidp

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// codeGrant gives tokens for an authorization code. The bindings of the code are checked under the
// lock of the state, and a failed check uses up the code, too.
func (p *Provider) codeGrant(r tokenRequest) (any, error) {
	text := r.form.get("code")
	if text == "" {
		return nil, errMissing("code")
	}
	var who *account
	fam, c, result, refusal := p.state.redeem(text, func(c code) ([]string, *oauthError) {
		if refusal := r.checkCode(c); refusal != nil {
			return nil, refusal
		}
		if who = r.directory.person(c.user); who == nil {
			return nil, errBadCode()
		}
		return grantedScopes(who, c.asked), nil
	})
	switch {
	case refusal != nil:
		p.log.Warn("code refused", "client", r.client.ID)
		return nil, refusal
	case result == reused:
		p.log.Warn("code used again: its tokens are revoked", "client", r.client.ID)
		return nil, errBadCode()
	case result == refused:
		return nil, errBadCode()
	}
	p.log.Info("tokens issued", "grant", grantCode, "client", r.client.ID, "user", who.username)
	return p.issue(r, who, fam, fam.granted, c.nonce)
}

// errBadCode is the same whatever is wrong with a code.
func errBadCode() *oauthError { return invalidGrant("The code is unknown, used or expired") }

// checkCode compares a request with the bindings of the code.
func (r tokenRequest) checkCode(c code) *oauthError {
	verifier := r.form.get("code_verifier")
	switch {
	case c.client != r.client.ID:
		return errBadCode()
	case r.form.get("redirect_uri") == "":
		return errMissing("redirect_uri")
	case r.form.get("redirect_uri") != c.redirectURI:
		return invalidGrant("The redirect_uri differs from the authorization request")
	case c.challenge == "" && verifier != "":
		// The client sent a challenge, and it never arrived: an attacker has removed it from the
		// authorization request (RFC 9700, section 4.8.2).
		return invalidGrant("There was no code_challenge in the authorization request")
	case c.challenge != "" && verifier == "":
		return invalidGrant("The code_verifier is missing")
	case c.challenge != "" && !matchesChallenge(verifier, c.challenge):
		return invalidGrant("The code_verifier does not match")
	}
	return nil
}

// matchesChallenge is the S256 method of RFC 7636.
func matchesChallenge(verifier, challenge string) bool {
	if !isVerifier(verifier) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	computed := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(computed), []byte(challenge)) == 1
}

func isVerifier(s string) bool {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	return len(s) >= 43 && len(s) <= 128 && strings.Trim(s, unreserved) == ""
}

// refreshGrant gives new tokens for a refresh token. The scopes are computed anew: a user who has
// left a group loses its scope here.
func (p *Provider) refreshGrant(r tokenRequest) (any, error) {
	text := r.form.get("refresh_token")
	if text == "" {
		return nil, errMissing("refresh_token")
	}
	asked, refusal := parseScope(r.form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	if f, ok := p.parseOfflineToken(text); ok {
		return p.refreshOffline(r, f, asked)
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
		if refusal := r.checkKey(f); refusal != nil {
			return refusal
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

// checkKey refuses the refresh token of a public client without a proof of its key.
func (r tokenRequest) checkKey(f family) *oauthError {
	if r.client.public() && f.thumbprint != "" && f.thumbprint != r.thumbprint {
		return invalidGrant("The refresh token is bound to another key")
	}
	return nil
}

func errBadRefreshToken() *oauthError {
	return invalidGrant("The refresh token is unknown, used or expired")
}

// refreshedScopes returns the scopes of the account now. A request may name fewer scopes, but none
// beyond the first grant (RFC 6749, section 6).
func refreshedScopes(who *account, f family, asked []string) ([]string, *oauthError) {
	now := grantedScopes(who, f.asked)
	if len(asked) == 0 {
		return now, nil
	}
	if missing(slices.Concat(now, f.granted), asked) {
		return nil, refuse("invalid_scope", "The scope exceeds the granted one")
	}
	return intersect(now, asked), nil
}

// passwordGrant gives tokens for a name and a password. It is for tests and for trying things out:
// it makes people type their password into a program other than the provider.
func (p *Provider) passwordGrant(r tokenRequest) (any, error) {
	username, password := r.form.get("username"), r.form.get("password")
	if username == "" {
		return nil, errMissing("username")
	}
	if password == "" {
		return nil, errMissing("password")
	}
	asked, refusal := parseScope(r.form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	who, wait := p.checkPassword(r.directory, username, password)
	if wait > 0 {
		return nil, tooManyFailures(wait)
	}
	if who == nil {
		return nil, invalidGrant("Invalid user credentials")
	}
	asked = without(asked, scopeOffline) // it needs a person in a browser
	scopes := grantedScopes(who, asked)
	fam := p.state.startFamily(who.username, r.client.ID, knownScopes(asked), scopes)
	p.log.Info("tokens issued", "grant", grantPassword, "client", r.client.ID, "user", who.username)
	return p.issue(r, who, fam, scopes, "")
}

// clientGrant gives a client a token for its own account. There is no session
// and no refresh token: the client can ask again at any time.
func (p *Provider) clientGrant(r tokenRequest) (any, error) {
	asked, refusal := parseScope(r.form.get("scope"))
	if refusal != nil {
		return nil, refusal
	}
	who := r.directory.services[r.client.ID]
	// Without a person there is no ID token, and nothing to refresh.
	scopes := without(without(grantedScopes(who, asked), scopeOpenID), scopeOffline)
	access, err := p.keys.sign(p.accessClaims(r.client, who, scopes, "", uuid.NewString()).bindTo(r.thumbprint))
	if err != nil {
		return nil, err
	}
	p.log.Info("tokens issued", "grant", grantClient, "client", r.client.ID)
	return newTokenResponse(access, r.thumbprint, scopes), nil
}
