package auth

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

const userinfoPath = "/userinfo"

// directory is a provider with a userinfo endpoint.
type directory struct {
	*provider
	answer http.HandlerFunc

	mu      sync.Mutex
	tokens  []string // that it was asked with
	now     int      // how many are being answered
	most    int      // at a time
	outside []string // hosts other than the provider's own that got credentials
}

func newDirectory(answer http.HandlerFunc) *directory {
	d := &directory{provider: newProvider(jwks(ecSigner())), answer: answer}
	d.discovery = fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q,"userinfo_endpoint":"https://idp.example.com%s"}`, testIssuer, testJWKSURL, userinfoPath)
	return d
}

// says is an answer in JSON.
func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// addressOfBruce is the usual answer.
const addressOfBruce = `{"sub":"s-1","email":"b@example.com"}`

func saysAfter(pause time.Duration, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(pause)
		says(body)(w, r)
	}
}

func (d *directory) RoundTrip(r *http.Request) (*http.Response, error) {
	credentials := r.Header.Get("Authorization")
	d.mu.Lock()
	if credentials != "" && r.URL.Host != "idp.example.com" {
		d.outside = append(d.outside, r.URL.Host)
	}
	d.mu.Unlock()
	if credentials == "" {
		return d.provider.RoundTrip(r)
	}
	d.enter(credentials)
	defer d.leave()
	recorder := httptest.NewRecorder()
	d.answer(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	resp := recorder.Result()
	resp.Request = r
	return resp, nil
}

func (d *directory) enter(credentials string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tokens = append(d.tokens, credentials)
	d.now++
	d.most = max(d.most, d.now)
}

func (d *directory) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now--
}

func (d *directory) wasAsked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.tokens)
}

// bearer returns a Bearer that asks d, with changes to its configuration.
func (d *directory) bearer(now func() time.Time, changes ...func(*Config)) *Bearer {
	client := &http.Client{Transport: d}
	silent := slog.New(slog.DiscardHandler)
	cfg := Config{
		Issuer: testIssuer, Audience: testAudience, Now: now,
		Keys:     NewKeySet(KeySetConfig{Issuer: testIssuer, Client: client, Logger: silent, Now: now}),
		Userinfo: NewUserinfo(UserinfoConfig{Issuer: testIssuer, Client: client, Logger: silent, Now: now}),
	}
	for _, change := range changes {
		change(&cfg)
	}
	return NewBearer(cfg)
}

// noAddress is a token without an address, with more changes.
func noAddress(changes map[string]any) string {
	all := map[string]any{"sub": "s-1", "email": nil, "email_verified": nil}
	maps.Copy(all, changes)
	return ecSigner().token(all)
}

// lasting is a token without an address that is valid for this long from now on.
func lasting(lifetime time.Duration, jti any) string {
	return noAddress(map[string]any{"exp": time.Now().Add(lifetime).Unix(), "iat": nil, "jti": jti})
}

// discovered is how often the discovery document was asked for.
func (d *directory) discovered() (n int) {
	d.change(func(p *provider) {
		for _, address := range p.requests {
			if strings.HasSuffix(address, "/openid-configuration") {
				n++
			}
		}
	})
	return n
}
