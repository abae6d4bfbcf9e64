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

// Config is what a [Bearer] needs to know.
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
	Now                  func() time.Time // nil is time.Now
	CacheSize            int              // tokens remembered; 0 is 10,000, less is none
}

// Bearer authenticates requests by access tokens that are signed JWTs.
type Bearer struct {
	cfg           Config
	audiences     []string
	wrongAudience *Error
	wrongKind     *Error
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
		wrongAudience: errAudience(cfg.Audience), wrongKind: errTokenType,
	}
	if cfg.Mapping.Tokens == claims.IDTokens {
		b.wrongKind = errNoIDToken
	}
	return b
}

// Authenticate returns who sent r, by its access token.
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

// holder is who a token was issued to.
func (b *Bearer) holder(ctx context.Context, raw string, d digest) (*Identity, *Error) {
	now := b.cfg.Now()
	if v := b.recall(d, now); v != nil {
		return v.identity, v.refusal
	}
	id, refusal := b.verify(ctx, raw, d, now)
	if refusal == nil && !b.cfg.Now().Before(id.Expires) {
		return nil, b.expired(id) // while the provider was asked
	}
	return id, refusal
}

// Recognize returns who sent r if its access token was verified before.
func (b *Bearer) Recognize(r *http.Request) *Identity {
	raw, refusal := tokenOf(r, "bearer")
	if refusal != nil {
		return nil
	}
	if v := b.recall(digestOf(raw), b.cfg.Now()); v != nil && v.refusal == nil && v.identity.Thumbprint == "" {
		return v.identity
	}
	return nil
}

// digestOf hashes a token. Most fit into the buffer, which stays on the stack, so
// that the way of nearly every request allocates nothing.
func digestOf(raw string) digest {
	const most = 2 << 10
	return sha256.Sum256(append(make([]byte, 0, most), raw...))
}

// verify does the work for a token that is not in the cache: first what needs
// no key, then the key, then the signature.
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
	if id.Email == "" {
		return b.withAddress(ctx, unaddressed{raw: raw, digest: d, keys: keys, holder: id, now: now})
	}
	b.remember(keys, &verified{digest: d, identity: id, expires: expires}, now)
	return id, nil
}

// recall finds a token that was verified with the very keys that count now.
func (b *Bearer) recall(d digest, now time.Time) *verified {
	keys := b.cfg.Keys.current(now)
	known := b.cache.Load()
	if keys == nil || known == nil || known.ring != keys {
		return nil
	}
	return known.get(d, now)
}

// remember puts v into the cache that belongs to the keys it was verified
// with. If the keys have changed since, that cache is no longer looked at.
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

// StillGood reports whether the token has expired since.
func (b *Bearer) StillGood(id *Identity) error {
	if b.cfg.Now().Before(id.Expires) {
		return nil
	}
	return b.expired(id)
}

func (b *Bearer) expired(id *Identity) *Error { return errExpired(id.Expires.Add(-b.cfg.ClockSkew)) }

// UnknownUser is the refusal of a good token whose e-mail address nobody has.
func (b *Bearer) UnknownUser() *Error { return errUnknownUser }

// InsufficientScope is the challenge for a caller whose token lacks the scope.
func (b *Bearer) InsufficientScope(scope string) string {
	c := challenge("insufficient_scope", "The request requires higher privileges than provided by the access token.")
	if scope == "" {
		return c
	}
	return c + `, scope="` + quotable(scope) + `"`
}
