package command

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
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
	var body map[string]json.RawMessage
	if !decodePart(parts[0], &header) || !decodePart(parts[1], &body) {
		return Claims{}, false
	}
	c := Claims{
		Key: header.Key, Issuer: textClaim(body["iss"]), Email: textClaim(body["email"]),
		Audience: listClaim(body["aud"]), Scope: listClaim(body["scope"]), Groups: listClaim(body["groups"]),
	}
	_, c.Bound = body["cnf"]
	c.Expiry, c.Begin, c.Issued = timeClaim(body["exp"]), timeClaim(body["nbf"]), timeClaim(body["iat"])
	var verified bool
	if json.Unmarshal(body["email_verified"], &verified) == nil {
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

func textClaim(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text) // "" if it is something else
	return text
}

// listClaim reads words that stand in one text or in an array.
func listClaim(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	return strings.Fields(textClaim(raw))
}
