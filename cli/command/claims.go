package command

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"example.org/library/auth/claims"
)

// Claims are what a token says of itself. They are read to explain things to
// the person whose token it is, and are not verified here: that is up to the
// library. Nothing may be allowed because of them.
type Claims struct {
	Key           string // kid of the header
	Issuer        string
	Audience      []string
	Expiry        time.Time // zero if it does not say
	Begin         time.Time // when it becomes valid (nbf); zero if it does not say
	Issued        time.Time // zero if it does not say
	Email         string
	EmailVerified *bool // nil if it does not say
	Scope         []string
	Groups        []string
	Bound         bool // to a key that only the client has (cnf)

	All claims.Set // everything that it says
}

// maxToken is what the library takes.
const maxToken = 16 << 10

// ReadClaims takes a token apart. It is false if it is not one that can be
// looked into.
func ReadClaims(token string) (Claims, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > maxToken {
		return Claims{}, false
	}
	var header struct {
		Key string `json:"kid"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !decodePart(parts[0], &header) {
		return Claims{}, false
	}
	all, err := claims.Parse(payload)
	if err != nil {
		return Claims{}, false
	}
	c := Claims{Key: header.Key, Issuer: all.Text("iss"), Email: all.Text("email"), Audience: claims.Mapping{}.Audience(all), All: all}
	c.Scope, _ = all.Values("scope")
	c.Groups, _ = all.Values("groups")
	c.Bound = all.Has("cnf")
	c.Expiry, c.Begin, c.Issued = timeClaim(all["exp"]), timeClaim(all["nbf"]), timeClaim(all["iat"])
	var verified bool
	if json.Unmarshal(all["email_verified"], &verified) == nil {
		c.EmailVerified = &verified
	}
	return c, true
}

func decodePart(part string, into any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(data, into) == nil
}

func timeClaim(raw json.RawMessage) time.Time {
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds <= 0 || seconds >= 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
