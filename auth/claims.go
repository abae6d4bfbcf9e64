package auth

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// claims are the members of a token's payload.
type claims struct{ members }

// Limits of the times in a token.
const (
	minLeeway   = 5 * time.Second // of nbf and iat: clocks are never quite equal
	endOfYear9k = 253402300800    // the year 10000, in seconds since 1970
)

func parseClaims(payload []byte) (claims, *Error) {
	m, err := parseMembers(payload)
	if err != nil {
		return claims{}, errMalformed
	}
	return claims{m}, nil
}

// check holds the claims against everything that can be known without a key.
// It returns when the token stops being good.
func (b *Bearer) check(c claims, now time.Time) (time.Time, *Error) {
	if refusal := c.checkKind(); refusal != nil {
		return time.Time{}, refusal
	}
	if refusal := b.checkBinding(c); refusal != nil {
		return time.Time{}, refusal
	}
	expires, refusal := c.checkTimes(now, b.cfg.ClockSkew)
	if refusal != nil {
		return time.Time{}, refusal
	}
	if iss, ok := c.text("iss"); !ok || iss != b.cfg.Issuer {
		return time.Time{}, errIssuer
	}
	if !c.isFor(b.cfg.Audience) {
		return time.Time{}, b.wrongAudience
	}
	if c.email() == "" {
		return time.Time{}, errUnknownUser
	}
	if b.cfg.RequireVerifiedEmail && string(c.members["email_verified"]) != "true" {
		return time.Time{}, errUnverified
	}
	return expires, nil
}

// otherKinds are the values of Keycloak's typ claim for tokens that are signed
// with the same key and meant for somebody else than an API.
var otherKinds = []string{"ID", "Refresh", "Offline", "Logout"}

func (c claims) checkKind() *Error {
	if c.has("typ") {
		kind, ok := c.text("typ")
		if !ok || slices.ContainsFunc(otherKinds, func(k string) bool { return equalFoldASCII(k, kind) }) {
			return errTokenType
		}
	}
	return nil
}

// checkTimes returns the time from which on the token is expired.
func (c claims) checkTimes(now time.Time, skew time.Duration) (time.Time, *Error) {
	raw, ok := c.members["exp"]
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
		raw, given := c.members[claim.name]
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

// timeValue reads seconds since 1970, fractions allowed, up to the year 9999.
// A time beyond that would not fit into the texts and headers it may end up in.
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

func (c claims) isFor(audience string) bool {
	if single, ok := c.text("aud"); ok {
		return single == audience
	}
	several, ok := c.texts("aud")
	return ok && slices.Contains(several, audience)
}

// email returns the e-mail address, "" if there is none or it is no string.
func (c claims) email() string {
	email, _ := c.text("email")
	return email
}
