package auth

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// provider is an identity provider that is asked through its RoundTrip. Its
// fields may be changed by change while it is in use.
type provider struct {
	mu        sync.Mutex
	discovery string        // the discovery document
	keys      string        // the key set
	status    int           // 0 is 200
	down      bool          // refuse connections
	delay     time.Duration // before each answer
	redirect  string        // answer with a redirect to there
	requests  []string      // the addresses asked for
}

func newProvider(keys string) *provider {
	return &provider{keys: keys, discovery: fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q}`, testIssuer, testJWKSURL)}
}

func (p *provider) change(f func(p *provider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

// asked returns how often the key set was asked for.
func (p *provider) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, address := range p.requests {
		if address == testJWKSURL {
			n++
		}
	}
	return n
}

func (p *provider) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	p.requests = append(p.requests, req.URL.String())
	delay := p.delay
	p.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return nil, errors.New("connection refused")
	}
	recorder := httptest.NewRecorder()
	if p.redirect != "" && req.URL.String() != p.redirect {
		http.Redirect(recorder, req, p.redirect, http.StatusFound)
		return recorder.Result(), nil
	}
	if p.status != 0 {
		recorder.WriteHeader(p.status)
	}
	if req.URL.Path == "/realms/workshop/.well-known/openid-configuration" {
		_, _ = io.WriteString(recorder, p.discovery)
	} else {
		_, _ = io.WriteString(recorder, p.keys)
	}
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}

// keySet returns a key set that asks p. It is not running.
func (p *provider) keySet(now func() time.Time) *KeySet {
	return NewKeySet(KeySetConfig{
		Issuer: testIssuer, Client: &http.Client{Transport: p}, Now: now,
		Logger: slog.New(slog.DiscardHandler),
	})
}
