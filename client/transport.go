package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Transport shows the token of a source to one origin: a scheme, a host and a
// port. A request to any other is not sent at all, with or without the token,
// wherever it comes from: a redirect, an address in an answer, a mistake.
type Transport struct {
	source *Source
	origin string
	base   http.RoundTripper
}

// errOtherOrigin has no address in it: it may come from a redirect.
var errOtherOrigin = errors.New("the request would go to another host than the library service; it was not sent")

// Transport adds the source's token to requests to the origin of an address,
// such as https://library.example.com/library-server. base may be nil; it must
// not add tokens of its own nor follow redirects.
func (s *Source) Transport(address string, base http.RoundTripper) (*Transport, error) {
	if problem := addressProblem(address); problem != "" {
		return nil, fmt.Errorf("the address of the library service %s", problem)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the library service is not one")
	}
	if base == nil {
		base = newTransport(requestTimeout)
	}
	return &Transport{source: s, origin: originOf(u), base: base}, nil
}

// Client is an HTTP client for the library service at an address. An answer has
// to begin within 10 s; a long one may take its time, as the context allows.
func (s *Source) Client(address string) (*http.Client, error) {
	transport, err := s.Transport(address, nil)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: transport}, nil
}

// noToken is the error of a request not sent for lack of a token.
type noToken struct{ error }

func (e *noToken) Unwrap() error { return e.error }

// RoundTrip sends a request with the token. If the service refuses the token, the request is sent
// once more with another one, provided there is one and the body can be had again.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if originOf(r.URL) != t.origin {
		closeBody(r)
		return nil, errOtherOrigin
	}
	token, err := t.source.Token(r.Context())
	if err != nil {
		closeBody(r)
		return nil, &noToken{err}
	}
	resp, err := t.send(r, r.Body, token)
	if err != nil || !refusesToken(resp) || r.GetBody == nil && hasBody(r) {
		return resp, err
	}
	token, found := t.source.another(r.Context(), token)
	if !found {
		return resp, nil // the service knows better why than the provider
	}
	body := r.Body
	if hasBody(r) {
		if body, err = r.GetBody(); err != nil {
			return resp, nil
		}
	}
	resp.Body.Close()
	resp, err = t.send(r, body, token)
	if err == nil && refusesToken(resp) {
		t.source.refusedAgain(token)
	}
	return resp, err
}

// send sends a request once.
func (t *Transport) send(r *http.Request, body io.ReadCloser, token Token) (*http.Response, error) {
	r = r.Clone(r.Context()) // the caller's request is not ours to change
	r.Body = body
	if token.Key != nil {
		r.Header.Set("Authorization", "DPoP "+token.Access)
		return token.Key.send(t.base, r, token.Access)
	}
	r.Header.Set("Authorization", "Bearer "+token.Access)
	return t.base.RoundTrip(r)
}

// refusesToken reports whether an answer asks for another token. Another token would not
// make a proof better.
func refusesToken(resp *http.Response) bool {
	if resp.StatusCode != http.StatusUnauthorized || proofProblem(resp) != "" {
		return false
	}
	return slices.ContainsFunc(schemesOf(resp.Header), func(scheme string) bool { return scheme == "bearer" || scheme == "dpop" })
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// originOf returns the origin of an address, with its port.
func originOf(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
