package client

import (
	"net/http"
	"slices"
)

// OffersBoundTokens reports whether the provider binds tokens to a key (RFC 9449).
func (p *Provider) OffersBoundTokens() bool { return slices.Contains(p.meta.Proofs, proofAlgorithm) }

// WithKey is the same provider, asked for tokens that are bound to a key. One that gives a
// bearer token all the same has not bound it: then the token has no key.
func (p *Provider) WithKey(k *Key) *Provider {
	bound := *p
	bound.key = k
	bound.http = &http.Client{
		Transport: proving{base: p.http.Transport, key: k, endpoint: p.meta.Token}, Timeout: p.http.Timeout, CheckRedirect: p.http.CheckRedirect,
	}
	return &bound
}

// proving adds proofs to the requests for tokens.
type proving struct {
	base     http.RoundTripper
	key      *Key
	endpoint string
}

func (t proving) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.URL.String() != t.endpoint {
		return t.base.RoundTrip(r)
	}
	return t.key.send(t.base, r.Clone(r.Context()), "")
}
