package client

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// century is longer than any token lives.
const century = 100 * 365 * 24 * 60 * 60 // seconds

// expiryIn is when an access token that came just now says that it expires, zero
// if it does not. Nobody has verified what it says: it decides when to ask for
// the next one, and nothing else.
//
// If the token says since when it is good, its life counts from now on, since
// the clock of this machine may be wrong.
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
