package client

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

// jwtOf is a token with these claims that nobody has signed.
func jwtOf(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + ".c2ln"
}

func TestATokenWithoutExpiresInExpiresWhenItSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, access string
		want         time.Time
	}{
		{"its end", jwtOf(`{"exp":1767355500}`), noon.Add(5 * time.Minute)},
		{"its end, with a fraction", jwtOf(`{"exp":1767355500.7}`), noon.Add(5 * time.Minute)},
		{"its life, whatever the clock of this machine says", jwtOf(`{"iat":1767350000,"exp":1767350300}`), noon.Add(5 * time.Minute)},
		{"a life that ends before it begins is none, the end counts", jwtOf(`{"iat":1767359999,"exp":1767355500}`), noon.Add(5 * time.Minute)},
		{"an end that is over is a clock that is wrong", jwtOf(`{"exp":1767355100}`), time.Time{}},
		{"no end", jwtOf(`{"iat":1}`), time.Time{}},
		{"an end that is no number", jwtOf(`{"exp":"soon"}`), time.Time{}},
		{"an end after all ends", jwtOf(`{"exp":1e300}`), time.Time{}},
		{"a life longer than all lives", jwtOf(`{"iat":1,"exp":999999999999}`), time.Time{}},
		{"claims that are none", jwtOf(`[]`), time.Time{}},
		{"no JWT", "access", time.Time{}},
		{"nearly a JWT", "a.b.c", time.Time{}},
		{"nothing", "..", time.Time{}},
		{"too much", jwtOf(`{"exp":1767355500}` + strings.Repeat(" ", maxAnswer)), time.Time{}},
	} {
		if got := expiryIn(c.access, noon); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
}

func TestTheExpiryOfTheAnswerGoesBeforeThatOfTheToken(t *testing.T) {
	t.Parallel()
	now := time.Now().Unix()
	access := sign(t, "ES256", signingKey(), map[string]any{"iat": now, "exp": now + 600})
	for name, c := range map[string]struct {
		seconds any
		want    time.Duration
	}{
		"it says when":     {300, 300 * time.Second},
		"it does not say":  {nil, 600 * time.Second},
		"it says nothing":  {0, 600 * time.Second},
		"it says nonsense": {-1, 600 * time.Second},
	} {
		f := startFake(t)
		f.token = func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, http.StatusOK, goodToken("access_token", access, "expires_in", c.seconds))
		}
		token, err := discover(t, f.URL).Refresh(t.Context(), service, Token{Refresh: "r"})
		if err != nil || !near(token.Expiry, c.want) {
			t.Errorf("%s: %v, %v", name, token.Expiry, err)
		}
	}
}

func FuzzExpiry(f *testing.F) {
	f.Add(jwtOf(`{"iat":1767350000,"exp":1767350300}`))
	f.Fuzz(func(t *testing.T, token string) {
		if at := expiryIn(token, noon); !at.IsZero() && !at.After(noon) {
			t.Errorf("it expired at %v, before it was given", at)
		}
	})
}
