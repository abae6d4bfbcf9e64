package auth

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/library/auth/claims"
	"example.org/library/internal/strictjson"
)

// Limits of logout tokens.
const (
	maxLogoutAge = 5 * time.Minute
	logoutEvent  = "http://schemas.openid.net/event/backchannel-logout"
)

// Logout is a verified logout token (OpenID Connect Back-Channel Logout 1.0).
type Logout struct {
	Token  Digest    // of its jti; the same token is taken once
	Ends   Digest    // names the session or the subject
	Before time.Time // only tokens issued up to then end; zero for all
	Until  time.Time // when no token of the session can be good any more
}

// LogoutConfig configures Logouts.
type LogoutConfig struct {
	Issuer    string
	Audiences []string      // the clients that the provider sends logout tokens for
	Keep      time.Duration // how long a logout counts; no token may be good for longer
	ClockSkew time.Duration // as of the Bearer
	Keys      *KeySet
	Now       func() time.Time // nil is time.Now
}

// Logouts verifies logout tokens, and has the ended sessions in memory. A nil Logouts ends none.
type Logouts struct {
	cfg LogoutConfig

	mu      sync.RWMutex
	ended   map[digest]mark
	changed chan struct{} // closed after the next change
	sweep   time.Time     // when old ones are dropped next
}

// mark is an ended session, or a subject whose tokens issued before an instant are refused.
type mark struct{ before, until time.Time }

// NewLogouts returns Logouts without an ended session.
func NewLogouts(cfg LogoutConfig) *Logouts {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Logouts{cfg: cfg, ended: map[digest]mark{}, changed: make(chan struct{})}
}

// Verify returns the logout of a logout token. Its error is an [*Error]: 400 for a bad token, 503
// while the keys of the provider cannot be fetched.
func (l *Logouts) Verify(ctx context.Context, raw string) (Logout, error) {
	logout, refusal := l.verify(ctx, raw)
	if refusal == nil {
		return logout, nil
	}
	bad := *refusal
	if bad.Challenge = ""; bad.Status == 401 {
		bad.Status = 400
	}
	return Logout{}, &bad
}

func (l *Logouts) verify(ctx context.Context, raw string) (Logout, *Error) {
	t, refusal := parseTyped(raw, logoutType)
	if refusal != nil {
		return Logout{}, refusal
	}
	c, refusal := parseClaims(t.payload)
	if refusal != nil {
		return Logout{}, refusal
	}
	logout, refusal := l.read(c, l.cfg.Now())
	if refusal != nil {
		return Logout{}, refusal
	}
	keys, refusal := l.cfg.Keys.find(ctx, t.header)
	if refusal != nil {
		return Logout{}, refusal
	}
	return logout, t.verify(keys)
}

// logoutType reports whether a logout token may have the type in its header.
func logoutType(typ string) bool {
	return slices.ContainsFunc([]string{"JWT", "logout+jwt", "application/logout+jwt"}, func(t string) bool { return equalFoldASCII(typ, t) })
}

// read checks the claims of a logout token, as far as that needs no key.
func (l *Logouts) read(c claims.Set, now time.Time) (Logout, *Error) {
	events, err := strictjson.Object(c["events"])
	if err != nil || !strings.HasPrefix(string(events[logoutEvent]), "{") {
		return Logout{}, invalidToken(CodeInvalidClaim, "The token is not a logout token")
	}
	issued, isTime := timeValue(c["iat"])
	expires, isExpiry := timeValue(c["exp"])
	switch {
	case c.Has("nonce"):
		return Logout{}, invalidToken(CodeInvalidClaim, "A logout token must not have a nonce")
	case c.Text("iss") == "" || c.Text("iss") != l.cfg.Issuer:
		return Logout{}, invalidToken(CodeInvalidClaim, "The iss claim is not valid")
	case !slices.ContainsFunc(claims.Mapping{}.Audience(c), func(a string) bool { return slices.Contains(l.cfg.Audiences, a) }):
		return Logout{}, invalidToken(CodeInvalidClaim, "The token is for another audience")
	case !isTime || now.Sub(issued) > maxLogoutAge:
		return Logout{}, invalidToken(CodeInvalidClaim, "The iat claim is missing, or the token is too old")
	case issued.Sub(now) > minLeeway:
		return Logout{}, invalidToken(CodeInvalidClaim, "The token was issued in the future")
	case c.Has("exp") && (!isExpiry || !now.Before(expires)):
		return Logout{}, invalidToken(CodeInvalidClaim, "The token has expired")
	case c.Text("jti") == "":
		return Logout{}, invalidToken(CodeInvalidClaim, "The jti claim is missing")
	}
	logout := Logout{Token: keyOf("jti", c.Text("jti")), Until: now.Add(max(l.cfg.Keep, maxLogoutAge) + l.leeway())}
	switch {
	case c.Text("sid") != "":
		logout.Ends = keyOf("sid", c.Text("sid"))
	case c.Has("sid") || c.Text("sub") == "":
		return Logout{}, invalidToken(CodeInvalidClaim, "The token names neither a session nor a subject")
	default:
		logout.Ends, logout.Before = keyOf("sub", c.Text("sub")), issued.Truncate(time.Microsecond)
	}
	return logout, nil
}

// leeway is how much longer than it says a token may be good: it may be issued a little in the future,
// and be used a little late.
func (l *Logouts) leeway() time.Duration { return 2 * max(l.cfg.ClockSkew, minLeeway) }

// keyOf returns the key for the value of a claim. Its size does not depend on the value.
func keyOf(claim, value string) digest { return sha256.Sum256([]byte(claim + "\x00" + value)) }

// keysOf returns the keys for the session and the subject of a token.
func (l *Logouts) keysOf(c claims.Set) (keys [2]digest) {
	if l == nil {
		return keys
	}
	for i, claim := range []string{"sid", "sub"} {
		if value := c.Text(claim); value != "" {
			keys[i] = keyOf(claim, value)
		}
	}
	return keys
}

// outlives reports whether a token could be good when its logout is forgotten. A token may be older
// than its first use, so its whole life counts where the token tells it.
func (l *Logouts) outlives(c claims.Set, expires, now time.Time) bool {
	if l == nil {
		return false
	}
	from := now
	if issued, ok := timeValue(c["iat"]); ok && issued.Before(now) {
		from = issued
	}
	return expires.Sub(from) > l.cfg.Keep+l.cfg.ClockSkew
}

// Add adds logouts to the ended sessions, and drops those that no longer count.
func (l *Logouts) Add(logouts []Logout) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.cfg.Now()
	if len(logouts) > 0 {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	if now.After(l.sweep) {
		maps.DeleteFunc(l.ended, func(_ digest, m mark) bool { return !now.Before(m.until) })
		l.sweep = now.Add(time.Minute)
	}
	for _, logout := range logouts {
		m, known := l.ended[logout.Ends]
		if !known || logout.Before.After(m.before) {
			m.before = logout.Before
		}
		if logout.Until.After(m.until) {
			m.until = logout.Until
		}
		l.ended[logout.Ends] = m
	}
}

// Changed returns a channel that is closed when more sessions have ended.
func (l *Logouts) Changed() <-chan struct{} {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.changed
}

// has reports whether the session of a token has ended.
func (l *Logouts) has(id *Identity) bool {
	if l == nil {
		return false
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if _, ended := l.ended[id.ends[0]]; ended {
		return true
	}
	m, ended := l.ended[id.ends[1]]
	return ended && !id.issued.Truncate(time.Microsecond).After(m.before)
}
