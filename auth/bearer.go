package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"net/http"
	"sync/atomic"
	"time"

	"example.org/library/auth/claims"
)

// Config configures a [Bearer].
type Config struct {
	Issuer               string         // what iss must be, character for character
	Audience             string         // what aud must contain; challenges name it
	OtherAudiences       []string       // that are as good
	Authorities          Mode           // "" is ModeScope
	Mapping              claims.Mapping // where in the claims the data of a caller are; its Authorities are those above
	RequireVerifiedEmail bool
	RequireSubject       bool          // refuse tokens without a text in sub
	ClockSkew            time.Duration // for exp; nbf and iat have 5 s at least
	BoundTokens          bool          // take tokens that are bound to a key, for AuthenticateBound
	Keys                 *KeySet
	Userinfo             *Userinfo        // asked for an e-mail address that is not in the token; nil for never
	Logouts              *Logouts         // the ended sessions; nil if the provider does not tell
	Now                  func() time.Time // nil is time.Now
	CacheSize            int              // tokens remembered; 0 is 10,000, less is none
}

// Bearer authenticates requests by signed JWT access tokens.
type Bearer struct {
	cfg           Config
	audiences     []string
	wrongAudience *Error
	wrongKind     *Error
	noAddress     *Error
	cache         atomic.Pointer[cache]
}

// NewBearer returns a Bearer. The caller must run the key set in cfg.
func NewBearer(cfg Config) *Bearer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.CacheSize = cmp.Or(cfg.CacheSize, defaultCacheSize)
	cfg.Mapping.Authorities = cfg.Authorities
	b := &Bearer{
		cfg: cfg, audiences: append([]string{cfg.Audience}, cfg.OtherAudiences...),
		wrongAudience: errAudience(cfg.Audience), wrongKind: errTokenType, noAddress: errNoAddress(cmp.Or(cfg.Mapping.EmailClaim, "email")),
	}
	if cfg.Mapping.Tokens == claims.IDTokens {
		b.wrongKind = errNoIDToken
	}
	return b
}

// Authenticate returns the sender of r, by its access token.
func (b *Bearer) Authenticate(r *http.Request) (*Identity, error) {
	raw, refusal := tokenOf(r, "bearer")
	if refusal != nil {
		return nil, refusal
	}
	id, refusal := b.holder(r.Context(), raw, digestOf(raw))
	if refusal != nil {
		return nil, refusal
	}
	if id.Thumbprint != "" {
		return nil, errBound
	}
	return id, nil
}

// holder returns the identity to which a token was issued.
func (b *Bearer) holder(ctx context.Context, raw string, d digest) (*Identity, *Error) {
	now := b.cfg.Now()
	v := b.recall(d, now)
	if v == nil {
		id, refusal := b.verify(ctx, raw, d, now)
		v = &verified{identity: id, refusal: refusal}
	}
	if v.refusal != nil {
		return nil, v.refusal
	}
	return v.identity, b.stillValid(v.identity) // it may have expired while the provider was asked
}

// Recognize returns the sender of r if its access token was verified before.
func (b *Bearer) Recognize(r *http.Request) *Identity {
	raw, refusal := tokenOf(r, "bearer")
	if refusal != nil {
		return nil
	}
	if v := b.recall(digestOf(raw), b.cfg.Now()); v.isGood(b) && v.identity.Thumbprint == "" {
		return v.identity
	}
	return nil
}

// digestOf hashes a token. Most fit into the buffer on the stack, so nearly every request
// allocates nothing here.
func digestOf(raw string) digest {
	const most = 2 << 10
	return sha256.Sum256(append(make([]byte, 0, most), raw...))
}

// verify checks a token missing in the cache: first without a key, then with the key, then the
// signature.
func (b *Bearer) verify(ctx context.Context, raw string, d digest, now time.Time) (*Identity, *Error) {
	t, refusal := parseToken(raw)
	if refusal != nil {
		return nil, refusal
	}
	if t.header.isAccess && b.cfg.Mapping.Tokens == claims.IDTokens {
		return nil, b.wrongKind
	}
	c, refusal := parseClaims(t.payload)
	if refusal != nil {
		return nil, refusal
	}
	expires, refusal := b.check(c, now)
	if refusal != nil {
		return nil, refusal
	}
	keys, refusal := b.cfg.Keys.find(ctx, t.header)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := t.verify(keys); refusal != nil {
		return nil, refusal
	}
	id := b.identity(c)
	id.Expires, id.Thumbprint = expires, thumbprint(c)
	id.issued, _ = timeValue(c["iat"])
	id.ends = b.cfg.Logouts.keysOf(c)
	if refusal := b.stillValid(id); refusal != nil {
		return nil, refusal
	}
	if id.Email == "" {
		return b.withAddress(ctx, unaddressed{raw: raw, digest: d, keys: keys, holder: id, now: now})
	}
	b.remember(keys, &verified{digest: d, identity: id, expires: expires}, now)
	return id, nil
}

// recall finds a token verified with the current keys.
func (b *Bearer) recall(d digest, now time.Time) *verified {
	keys := b.cfg.Keys.current(now)
	known := b.cache.Load()
	if keys == nil || known == nil || known.ring != keys {
		return nil
	}
	return known.get(d, now)
}

// remember puts v into the cache of the keys that verified it. If the keys have changed since,
// that cache is no longer looked at.
func (b *Bearer) remember(keys *ring, v *verified, now time.Time) {
	if b.cfg.CacheSize < 0 {
		return
	}
	known := b.cache.Load()
	if known == nil || known.ring != keys {
		fresh := newCache(keys, b.cfg.CacheSize)
		if !b.cache.CompareAndSwap(known, fresh) {
			fresh = b.cache.Load() // somebody else was quicker
		}
		if known = fresh; known.ring != keys {
			return // the token is verified again next time
		}
	}
	known.put(v, now)
}

// StillValid reports whether the token has expired or its session has ended since.
func (b *Bearer) StillValid(id *Identity) error {
	if refusal := b.stillValid(id); refusal != nil {
		return refusal
	}
	return nil
}

func (b *Bearer) stillValid(id *Identity) *Error {
	switch {
	case !b.cfg.Now().Before(id.Expires):
		return errExpired(id.Expires.Add(-b.cfg.ClockSkew))
	case b.cfg.Logouts.has(id):
		return errSessionEnded
	}
	return nil
}

// UnknownUser returns the refusal of a good token with an unknown e-mail address.
func (b *Bearer) UnknownUser() *Error { return errUnknownUser }

// InsufficientScope returns the challenge for a caller without the scope.
func (b *Bearer) InsufficientScope(scope string) string {
	c := challenge("insufficient_scope", "The request requires higher privileges than provided by the access token.")
	if scope == "" {
		return c
	}
	return c + `, scope="` + quotable(scope) + `"`
}
