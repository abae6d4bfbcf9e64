package client

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// Token is a token from a provider. As JSON it can be stored in a private place; printed and
// logged it shows none of its secrets.
type Token struct {
	Access        string    `json:"access"`
	Refresh       string    `json:"refresh,omitempty"`      // "" if there is none
	ID            string    `json:"id,omitempty"`           // of the sign-in; says who it was, opens nothing
	Expiry        time.Time `json:"expiry,omitzero"`        // of Access; zero if neither the provider nor the token says
	RefreshExpiry time.Time `json:"refreshExpiry,omitzero"` // of Refresh; zero if the provider did not say
	Scope         []string  `json:"scope,omitempty"`        // what was granted
	Key           *Key      `json:"key,omitempty"`          // that Access is bound to; nil if it is a bearer token
}

// String describes the use of the token without the token.
func (t Token) String() string {
	if t.Access == "" {
		return "no token"
	}
	text := "token for " + strings.Join(t.Scope, " ")
	if !t.Expiry.IsZero() {
		text += " until " + t.Expiry.Format(time.RFC3339)
	}
	return text
}

// GoString is String: %#v shows no secret either.
func (t Token) GoString() string { return t.String() }

// LogValue is String.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

// Credentials identify a program to the provider. One without a secret is public: it runs where a
// secret could not be kept.
type Credentials struct {
	ID     string
	Secret string
}

// String is the id; the secret is not shown.
func (c Credentials) String() string { return c.ID }

// GoString is String: %#v shows no secret either.
func (c Credentials) GoString() string { return c.String() }

// LogValue is String.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// newToken reads a token response. Missing members are as in the request (RFC 6749, sections 5.1
// and 6), given as asked.
func newToken(got *oauth2.Token, asked Token, now time.Time) (Token, error) {
	isBound := strings.EqualFold(got.TokenType, "dpop")
	switch {
	case isBound && asked.Key == nil:
		return Token{}, errors.New("the identity provider gave a token that is bound to a key, which nobody has asked for")
	case got.TokenType != "" && !isBound && !strings.EqualFold(got.TokenType, "bearer"):
		return Token{}, errors.New("the identity provider gave a token that is not a bearer token")
	}
	if !isBearer(got.AccessToken) {
		return Token{}, errors.New("the identity provider gave a token with characters that cannot be sent")
	}
	t := Token{Access: got.AccessToken, Refresh: got.RefreshToken, Expiry: wallClock(got.Expiry), Scope: asked.Scope}
	if isBound {
		t.Key = asked.Key
	}
	if !got.Expiry.After(now) { // it was not said
		t.Expiry = expiryIn(t.Access, now)
	}
	t.ID, _ = got.Extra("id_token").(string)
	if scope, _ := got.Extra("scope").(string); scope != "" {
		t.Scope = strings.Fields(scope)
	}
	t.Scope = slices.Clone(t.Scope)
	switch seconds, said := got.Extra("refresh_expires_in").(float64); {
	case t.Refresh == "":
	case said && seconds > 0 && seconds < century: // 0 stands for no end at some providers
		t.RefreshExpiry = wallClock(now.Add(time.Duration(seconds) * time.Second))
	case !said && t.Refresh == asked.Refresh:
		t.RefreshExpiry = asked.RefreshExpiry
	}
	return t, nil
}

// wallClock takes the monotonic clock out of a time: the monotonic clock stands still while the
// machine sleeps, and tokens expire meanwhile.
func wallClock(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Second)
}

// isBearer reports whether a header can hold s by RFC 6750, section 2.1.
func isBearer(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~+/=", r))
	})
}

// century is longer than any token lives.
const century = 100 * 365 * 24 * 60 * 60 // seconds

// expiryIn returns the expiry in a new access token, zero if there is none. The token is not
// verified: its expiry decides when to ask for the next one, and nothing else.
//
// If the token has a beginning, its life counts from now on, since the clock of this machine may
// be wrong.
func expiryIn(access string, now time.Time) time.Time {
	parts := strings.Split(access, ".")
	if len(parts) != 3 || len(access) > maxAnswer {
		return time.Time{}
	}
	var claims struct {
		Issued  float64 `json:"iat"`
		Expires float64 `json:"exp"`
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(data, &claims) != nil {
		return time.Time{}
	}
	life := claims.Expires - claims.Issued
	if claims.Issued <= 0 || life <= 0 {
		life = claims.Expires - float64(now.Unix())
	}
	if life < 1 || life > century {
		return time.Time{}
	}
	return wallClock(now).Add(time.Duration(life) * time.Second)
}
