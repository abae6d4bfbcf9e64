package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// Limits of a request to the provider.
const (
	requestTimeout = 10 * time.Second
	maxAnswer      = 256 << 10
	maxHeader      = 64 << 10
	maxRedirects   = 5
)

// newHTTPClient returns the client for all requests to the provider. It has no cookies, whatever c
// has.
func newHTTPClient(c *http.Client) *http.Client {
	if c == nil {
		c = &http.Client{}
	}
	base, timeout := c.Transport, c.Timeout
	if base == nil {
		base = newTransport(requestTimeout)
	}
	if timeout <= 0 || timeout > requestTimeout {
		timeout = requestTimeout
	}
	return &http.Client{Transport: bounded{base}, Timeout: timeout, CheckRedirect: stayOnHost}
}

// newTransport is the usual transport with limits. An answer has to begin within the timeout.
func newTransport(timeout time.Duration) http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.MaxResponseHeaderBytes = maxHeader
	transport.ResponseHeaderTimeout = timeout
	return transport
}

// context makes oauth2 and go-oidc use our HTTP client.
func (p *Provider) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, p.http)
}

var (
	errRedirect = errors.New("the identity provider redirects to another host")
	errTooLarge = errors.New("the identity provider sends too much")
)

// stayOnHost lets a provider redirect to its own host. Posted passwords, secrets and codes are
// never sent on: the redirect itself is then the answer, and no caller takes it for a success.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet:
		return http.ErrUseLastResponse
	case next.URL.Scheme != first.URL.Scheme || !strings.EqualFold(next.URL.Host, first.URL.Host):
		return errRedirect
	case len(via) > maxRedirects:
		return errors.New("redirected too often")
	}
	return nil
}

// bounded reads each answer into memory, up to the limit. A body without the type JSON is dropped:
// oauth2 would guess at it, and a page of a proxy in between must not be taken for an answer of
// the provider.
type bounded struct {
	base http.RoundTripper
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		return nil, errTooLarge
	}
	if !isJSON(resp.Header.Get("Content-Type")) {
		body = nil
	}
	resp.Body, resp.ContentLength = &wholeBody{bytes.NewReader(body), body}, int64(len(body))
	return resp, nil
}

// wholeBody is a body in memory.
type wholeBody struct {
	*bytes.Reader
	whole []byte
}

func (*wholeBody) Close() error { return nil }

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}
