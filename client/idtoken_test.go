package client

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
)

// signInAt signs in at a fake provider whose ID token is made by a function.
func signInAt(t *testing.T, f *fake, id func(nonce string) string) (Token, error) {
	t.Helper()
	nonce := make(chan string, 1)
	f.token = func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("code") != "c" || len(r.FormValue("code_verifier")) != 43 {
			t.Errorf("redeemed with %v", r.Form)
		}
		sendJSON(w, http.StatusOK, goodToken("id_token", id(<-nonce)))
	}
	return signInWith(t.Context(), discover(t, f.URL), 0, func(address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		nonce <- u.Query().Get("nonce")
		visit(answerTo(address, "code", "c"))
		return nil
	})
}

func TestAnIDTokenMustBeAboutThisSignIn(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Minute).Unix()
	for name, c := range map[string]struct {
		changes []any
		words   string // "" if it is good
	}{
		"as it should be":              {nil, ""},
		"of the right access token":    {[]any{"at_hash", "oFYf1knNtrqnhAVfBRuteQ"}, ""},
		"for us and another":           {[]any{"aud", []string{terminal.ID, "other"}, "azp", terminal.ID}, ""},
		"of another sign-in":           {[]any{"nonce", "other"}, "another sign-in"},
		"of no sign-in":                {[]any{"nonce", nil}, "another sign-in"},
		"for another":                  {[]any{"aud", "other"}, "not a good one for this client"},
		"for nobody":                   {[]any{"aud", nil}, "not a good one for this client"},
		"for several, given to nobody": {[]any{"aud", []string{terminal.ID, "other"}}, "given to another client"},
		"given to another":             {[]any{"azp", "other"}, "given to another client"},
		"of another provider":          {[]any{"iss", "https://evil.example"}, "not a good one for this client"},
		"expired":                      {[]any{"exp", past}, "expired"},
		"without an end":               {[]any{"exp", nil}, "expired"},
		"of another access token":      {[]any{"at_hash", "AAAAAAAAAAAAAAAAAAAAAA"}, "another access token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			token, err := signInAt(t, f, func(nonce string) string {
				return sign(t, jose.ES256, signingKey(), f.idClaims(nonce, c.changes...))
			})
			if c.words == "" {
				if err != nil || token.ID == "" {
					t.Errorf("refused: %v", err)
				}
				return
			}
			says(t, err, "signing in: ", c.words)
			if token.Access != "" {
				t.Error("the token was handed out all the same")
			}
		})
	}
}

func TestAnIDTokenMustBeSignedByTheProvider(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(t *testing.T, claims map[string]any) string{
		"by another key":       func(t *testing.T, claims map[string]any) string { return sign(t, jose.ES256, newKey(), claims) },
		"with a shared secret": func(t *testing.T, claims map[string]any) string { return sign(t, jose.HS256, make([]byte, 32), claims) },
		"not at all": func(t *testing.T, claims map[string]any) string {
			segments := strings.Split(sign(t, jose.ES256, signingKey(), claims), ".")
			return "eyJhbGciOiJub25lIn0." + segments[1] + "."
		},
		"cut off": func(t *testing.T, claims map[string]any) string {
			text := sign(t, jose.ES256, signingKey(), claims)
			return text[:strings.LastIndex(text, ".")+1]
		},
		"as no token": func(*testing.T, map[string]any) string { return "s3cr3t" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			_, err := signInAt(t, f, func(nonce string) string { return forge(t, f.idClaims(nonce)) })
			says(t, err, "not a good one for this client")
		})
	}
}

// Even if the provider publishes a secret as a key and says that it is used.
func TestAnIDTokenIsNeverSignedWithASharedSecret(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	shared := make([]byte, 32)
	f.keys = func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, map[string]any{"keys": []any{
			map[string]any{"kty": "oct", "kid": "k", "k": base64.RawURLEncoding.EncodeToString(shared)},
		}})
	}
	_, err := signInAt(t, f, func(nonce string) string { return sign(t, jose.HS256, shared, f.idClaims(nonce)) })
	says(t, err, "not a good one for this client")
}

func TestKeysThatDoNotComeAreSaidToBeMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys  http.HandlerFunc
		words string
	}{
		"too many": {func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, http.StatusOK, strings.Repeat("k", maxAnswer))
		}, "fetching the keys of the identity provider: the identity provider sends too much"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		}, "redirects to another host"},
		"an error": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "s3cr3t", 500) }, "or the keys of the provider are"},
		"no keys":  {func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, map[string]any{}) }, "or the keys of the provider are"},
		"a page":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>s3cr3t")) }, "or the keys of the provider are"},
		"nonsense": {func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, 200, "s3cr3t") }, "or the keys of the provider are"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.keys = c.keys
			_, err := signInAt(t, f, func(nonce string) string { return sign(t, jose.ES256, signingKey(), f.idClaims(nonce)) })
			says(t, err, c.words)
		})
	}
}

// A password brings an ID token, too, if it is asked for one.
func TestAnIDTokenThatComesWithAPasswordIsChecked(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	f.token = func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, goodToken("id_token", sign(t, jose.ES256, newKey(), f.idClaims(""))))
	}
	_, err := discover(t, f.URL).Password(t.Context(), terminal, "bwayne", "wayne", "openid")
	says(t, err, "not a good one for this client")
}
