// Package testidp is an identity provider for tests: it publishes keys on a
// loopback address and signs any claims for a test, good or bad.
//
// It has no users, no login and no token endpoint; package devidp has them. It shares no code with package auth, so a
// mistake in one of them does not cancel out a mistake in the other.
//
//	idp := testidp.New(t)
//	// start the service with idp.Issuer() as its issuer
//	token := idp.Token(t, "bruce.wayne@example.com", "library_user email")
//	late := idp.Mint(t, testidp.Claims{"exp": 1})
//	forged := idp.Mint(t, nil, testidp.ForgedSignature())
//
// Start reading at [New].
package testidp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// Audience is the aud claim of tokens, unless a test says otherwise.
	Audience = "library-service"
	// Lifetime of tokens, unless a test says otherwise: enough for any test on a slow machine.
	Lifetime = 30 * time.Minute
	// Email is the email claim of tokens, unless a test says otherwise: the address of a sample user.
	Email = "bruce.wayne@example.com"

	realm         = "/auth/realms/workshop"
	discoveryPath = realm + "/.well-known/openid-configuration"
	keysPath      = realm + "/protocol/openid-connect/certs"
	userinfoPath  = realm + "/protocol/openid-connect/userinfo"
)

// Provider is a running identity provider. Its methods may be called from many goroutines.
type Provider struct {
	server      *httptest.Server
	keyFetches  atomic.Int64
	discoveries atomic.Int64
	delay       atomic.Int64
	failing     atomic.Bool
	userinfos   atomic.Int64

	mu       sync.Mutex
	keys     keyPair
	userinfo Claims
}

// New starts a provider, until the end of the test. The keys are made once per
// process, so a provider for each test costs next to nothing.
func New(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{keys: newKeyPair(t, 0)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+discoveryPath, p.serveDiscovery)
	mux.HandleFunc("GET "+keysPath, p.serveKeys)
	mux.HandleFunc("GET "+userinfoPath, p.serveUserinfo)
	// In two steps: the handlers use p.server, and requests may come from another process, ordered after nothing here.
	p.server = httptest.NewUnstartedServer(mux)
	p.server.Start()
	t.Cleanup(p.server.Close)
	return p
}

// Issuer returns the iss claim of tokens. The discovery document is below this address.
func (p *Provider) Issuer() string { return p.server.URL + realm }

// KeysURL returns the address of the key set.
func (p *Provider) KeysURL() string { return p.server.URL + keysPath }

// Fetches returns the number of requests for the key set.
func (p *Provider) Fetches() int { return int(p.keyFetches.Load()) }

// Discoveries returns the number of requests for the discovery document.
func (p *Provider) Discoveries() int { return int(p.discoveries.Load()) }

// Fail makes the provider answer everything with 500, or stops that.
func (p *Provider) Fail(failing bool) { p.failing.Store(failing) }

// Delay makes the provider wait before each answer.
func (p *Provider) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// Rotate replaces both keys by new ones. The key set no longer has the old
// ones, and new tokens are signed with the new ones.
func (p *Provider) Rotate(t testing.TB) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = newKeyPair(t, p.keys.generation+1)
}

func (p *Provider) current() keyPair {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys
}

func (p *Provider) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	p.discoveries.Add(1)
	p.answer(w, r, map[string]any{
		"issuer":                                p.Issuer(),
		"jwks_uri":                              p.KeysURL(),
		"authorization_endpoint":                p.Issuer() + "/protocol/openid-connect/auth",
		"token_endpoint":                        p.Issuer() + "/protocol/openid-connect/token",
		"userinfo_endpoint":                     p.server.URL + userinfoPath,
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *Provider) serveKeys(w http.ResponseWriter, r *http.Request) {
	p.keyFetches.Add(1)
	p.answer(w, r, map[string]any{"keys": p.current().jwks()})
}

// SetUserinfo sets the answer of the userinfo endpoint about everybody. Before there is no such endpoint.
func (p *Provider) SetUserinfo(answer Claims) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.userinfo = answer
}

// Userinfos returns the number of requests for the userinfo endpoint.
func (p *Provider) Userinfos() int { return int(p.userinfos.Load()) }

func (p *Provider) serveUserinfo(w http.ResponseWriter, r *http.Request) {
	p.userinfos.Add(1)
	p.mu.Lock()
	answer := p.userinfo
	p.mu.Unlock()
	switch {
	case answer == nil:
		http.NotFound(w, r)
	case r.Header.Get("Authorization") == "":
		http.Error(w, "no token", http.StatusUnauthorized)
	default:
		p.answer(w, r, answer)
	}
}

func (p *Provider) answer(w http.ResponseWriter, r *http.Request, document any) {
	if d := time.Duration(p.delay.Load()); d > 0 {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(d):
		}
	}
	if p.failing.Load() {
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document)
}
