package auth

import (
	"net/http"
	"slices"

	"example.org/library/auth/claims"
)

// Digest is a SHA-256 hash.
type Digest = digest

// CodeUnboundToken is that of a token without a key that was sent as if it had one.
const CodeUnboundToken = "unbound_token"

var errUnbound = invalidToken(CodeUnboundToken, "The token is not bound to a key")

// checkBinding refuses tokens that are bound to a key, unless they can be used with a
// proof made with it: then the one thing that says which key must be its thumbprint.
func (b *Bearer) checkBinding(c claims.Set) *Error {
	if !c.Has("cnf") || b.cfg.BoundTokens && thumbprint(c) != "" {
		return nil
	}
	return errBound
}

// otherBindings are what else a token can be bound to: keys, certificates, security
// contexts (RFC 7800, 8705, 9203).
var otherBindings = []string{"jwk", "jwe", "kid", "jku", "x5t#S256", "osc"}

// thumbprint is that of the key to which the token is bound (RFC 9449, section 6.1),
// "" if it is bound to none, or to something else, too. Members that bind to nothing
// are ignored, as RFC 7800 demands: Keycloak notes there how it got the thumbprint.
func thumbprint(c claims.Set) string {
	cnf, err := parseMembers(c["cnf"])
	if err != nil || slices.ContainsFunc(otherBindings, cnf.has) {
		return ""
	}
	jkt, _ := cnf.text("jkt")
	if sum, err := decodeBase64(jkt); err != nil || len(sum) != len(digest{}) {
		return ""
	}
	return jkt
}

// SentAs reports whether the credentials of r are of that scheme, in any case.
func SentAs(r *http.Request, scheme string) bool {
	fields := r.Header["Authorization"]
	if len(fields) == 0 {
		return false
	}
	_, is := credentials(fields[0], scheme)
	return is
}

// AuthenticateBound returns whom the token was issued to that r carries as
// Authorization: DPoP, and the token's hash. That is not yet who sent r: the
// caller must check a proof made with the key of Identity.Thumbprint.
func (b *Bearer) AuthenticateBound(r *http.Request) (*Identity, Digest, *Error) {
	raw, refusal := tokenOf(r, "dpop")
	if refusal != nil {
		return nil, Digest{}, refusal
	}
	d := digestOf(raw)
	id, refusal := b.holder(r.Context(), raw, d)
	if refusal == nil && id.Thumbprint == "" {
		refusal = errUnbound
	}
	return id, d, refusal
}

// RecognizeBound returns the same if the token was verified before.
func (b *Bearer) RecognizeBound(r *http.Request) (*Identity, Digest) {
	raw, refusal := tokenOf(r, "dpop")
	if refusal != nil {
		return nil, Digest{}
	}
	d := digestOf(raw)
	if v := b.recall(d, b.cfg.Now()); v != nil && v.refusal == nil && v.identity.Thumbprint != "" {
		return v.identity, d
	}
	return nil, Digest{}
}
