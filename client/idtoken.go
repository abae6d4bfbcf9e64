package client

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
)

// asymmetric are the accepted algorithms of ID tokens.
var asymmetric = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512,
	oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// Reasons not to believe an ID token.
var (
	errNoIDToken      = errors.New("the identity provider gave no ID token")
	errBadIDToken     = errors.New("the ID token is not a good one for this client: its signature, issuer or audience is wrong, or the keys of the provider are")
	errIDTokenExpired = errors.New("the ID token has expired; check the clock of this machine")
	errNonce          = errors.New("the ID token belongs to another sign-in")
	errOtherParty     = errors.New("the ID token was given to another client")
	errAccessHash     = errors.New("the ID token belongs to another access token")
)

// verifyID checks the ID token beside an access token: signature, issuer, audience and time, then
// the checks left out by go-oidc. With a nonce, the ID token must have the same one.
func (p *Provider) verifyID(ctx context.Context, clientID string, t Token, nonce string) error {
	if t.ID == "" {
		return errNoIDToken
	}
	keys := &watchedKeys{KeySet: p.keys}
	verifier := oidc.NewVerifier(p.meta.Issuer, keys, &oidc.Config{ClientID: clientID, SupportedSigningAlgs: p.meta.Algorithms})
	id, err := verifier.Verify(p.context(ctx), t.ID)
	var expired *oidc.TokenExpiredError
	switch {
	case keys.err != nil:
		return keys.err
	case errors.As(err, &expired):
		return errIDTokenExpired
	case err != nil:
		return errBadIDToken
	case nonce != "" && subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return errNonce
	}
	var claims struct {
		Party string `json:"azp"`
	}
	if id.Claims(&claims) != nil || claims.Party != clientID && (claims.Party != "" || len(id.Audience) > 1) {
		return errOtherParty
	}
	if id.AccessTokenHash != "" && id.VerifyAccessToken(t.Access) != nil {
		return errAccessHash
	}
	return nil
}

// watchedKeys notices failed fetches of keys: go-oidc reports them as bad signatures.
type watchedKeys struct {
	oidc.KeySet
	err error
}

func (k *watchedKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	var sent *url.Error
	if errors.As(err, &sent) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		k.err = transportError("fetching the keys of the identity provider", err)
	}
	return payload, err
}
