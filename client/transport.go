package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	if fault := unfit(address); fault != "" {
		return nil, fmt.Errorf("the address of the library service %s", fault)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the library service is not one")
	}
	if base == nil {
		base = newTransport()
	}
	return &Transport{source: s, origin: originOf(u), base: base}, nil
}

// Client is an HTTP client for the library service at an address. An answer has
// to begin within 10 s; a long one may take its time.
func (s *Source) Client(address string) (*http.Client, error) {
	transport, err := s.Transport(address, nil)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: transport}, nil
}

// noToken says that a request was not sent because there was no token for it.
type noToken struct{ error }

func (e *noToken) Unwrap() error { return e.error }

// RoundTrip sends a request with the token.
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
	r = r.Clone(r.Context()) // the caller's request is not ours to change
	r.Header.Set("Authorization", "Bearer "+token.Access)
	return t.base.RoundTrip(r)
}

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
