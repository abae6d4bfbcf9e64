package auth

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"example.org/library/auth/claims"
)

// Limits of the times in a token.
const (
	minLeeway   = 5 * time.Second // of nbf and iat: clocks are never quite equal
	endOfYear9k = 253402300800    // the year 10000, in seconds since 1970
)

func parseClaims(payload []byte) (claims.Set, *Error) {
	c, err := claims.Parse(payload)
	if err != nil {
		return nil, errMalformed
	}
	return c, nil
}

// check makes all checks of the claims that need no key. It returns when the token stops being
// good.
func (b *Bearer) check(c claims.Set, now time.Time) (time.Time, *Error) {
	if !b.cfg.Mapping.Takes(c) {
		return time.Time{}, b.wrongKind
	}
	if refusal := b.checkBinding(c); refusal != nil {
		return time.Time{}, refusal
	}
	expires, refusal := checkTimes(c, now, b.cfg.ClockSkew)
	if refusal != nil {
		return time.Time{}, refusal
	}
	if b.cfg.Logouts.outlives(c, expires, now) {
		return time.Time{}, errTooLong
	}
	if iss := c.Text("iss"); iss == "" || iss != b.cfg.Issuer {
		return time.Time{}, errIssuer
	}
	if b.cfg.RequireSubject && c.Text("sub") == "" {
		return time.Time{}, errSubject
	}
	if !b.isForUs(c) {
		return time.Time{}, b.wrongAudience
	}
	return expires, b.checkEmail(c)
}

// isForUs reports whether a token is for one of the audiences.
func (b *Bearer) isForUs(c claims.Set) bool {
	return slices.ContainsFunc(b.cfg.Mapping.Audience(c), func(audience string) bool { return slices.Contains(b.audiences, audience) })
}

// checkEmail looks at the e-mail address, unless there is none and the provider is
// asked for it.
func (b *Bearer) checkEmail(c claims.Set) *Error {
	if b.cfg.Mapping.Email(c) == "" && b.cfg.Userinfo != nil {
		return nil
	}
	if b.cfg.Mapping.Email(c) == "" {
		return b.noAddress
	}
	if b.cfg.RequireVerifiedEmail && !claims.VerificationOf(c).IsVerified() {
		return errUnverified
	}
	return nil
}

// identity returns the caller described by the claims.
func (b *Bearer) identity(c claims.Set) *Identity {
	m := b.cfg.Mapping
	id := &Identity{Email: m.Email(c), FromRecord: m.Authorities == ModeLocal, person: claims.PersonOf(c)}
	authorities, reason := m.AuthoritiesOf(c)
	id.Authorities = authorities
	if !m.IsUsual() || reason == claims.ReasonElsewhere {
		id.RolesClaim, id.RolesMissing = m.RolesClaim(), reason
	}
	return id
}

// checkTimes returns the time at which the token expires.
func checkTimes(c claims.Set, now time.Time, skew time.Duration) (time.Time, *Error) {
	raw, ok := c["exp"]
	if !ok {
		return time.Time{}, errNoExpiry
	}
	exp, ok := timeValue(raw)
	if !ok {
		return time.Time{}, errBadExpiry
	}
	expires := exp.Add(skew)
	if !now.Before(expires) {
		return time.Time{}, errExpired(exp)
	}
	latest := now.Add(max(skew, minLeeway))
	for _, claim := range []struct {
		name       string
		bad, later *Error
	}{{"nbf", errBadNotBefore, errNotYetValid}, {"iat", errBadIssuedAt, errFromFuture}} {
		raw, given := c[claim.name]
		at, ok := timeValue(raw)
		switch {
		case given && !ok:
			return time.Time{}, claim.bad
		case given && at.After(latest):
			return time.Time{}, claim.later
		}
	}
	return expires, nil
}

// timeValue reads seconds since 1970, fractions allowed, up to the year 9999. A later time would
// not fit into texts and headers.
func timeValue(raw json.RawMessage) (time.Time, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || seconds < 0 || seconds >= endOfYear9k {
		return time.Time{}, false
	}
	whole := int64(seconds)
	fraction := time.Duration((seconds - float64(whole)) * float64(time.Second))
	return time.Unix(whole, int64(fraction)), true
}

// Mode says where a caller's authorities come from.
type Mode = claims.Mode

// The modes.
const (
	ModeScope  = claims.ModeScope
	ModeGroups = claims.ModeGroups
	ModeLocal  = claims.ModeLocal
	ModePlain  = claims.ModePlain
)

// ParseMode returns the mode with the name.
func ParseMode(name string) (Mode, error) { return claims.ParseMode(name) }
