package devidp

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// codeGrant gives tokens for an authorization code. What the code is bound to is
// checked under the lock of the state, and the code is used up also if that fails.
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

// checkCode holds a request against what the code is bound to.
func (r tokenRequest) checkCode(c code) *oauthError {
	verifier := r.form.get("code_verifier")
	switch {
	case c.client != r.client.ID:
		return errBadCode()
	case r.form.get("redirect_uri") == "":
		return errMissing("redirect_uri")
	case r.form.get("redirect_uri") != c.redirectURI:
		return invalidGrant("The redirect_uri is not that of the authorization request")
	case c.challenge == "" && verifier != "":
		// The client sent a challenge that never arrived: an attacker has removed
		// it from the authorization request (RFC 9700, section 4.8.2).
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
