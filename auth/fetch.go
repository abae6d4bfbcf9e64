package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of a fetch.
const (
	fetchTimeout    = 5 * time.Second // for discovery and keys together
	maxDocumentSize = 256 << 10
	maxRedirects    = 5
)

// fetcher gets documents from the identity provider. It is used by one flight
// at a time and needs no lock.
type fetcher struct {
	client *http.Client
	issuer string
	fixed  string // the configured address of the key set, "" if it is to be discovered
	found  string // the discovered one, "" if not known or no longer trusted to be right
}

func newFetcher(cfg KeySetConfig) *fetcher {
	client := http.Client{Transport: newTransport()}
	if cfg.Client != nil {
		client = *cfg.Client
	}
	client.CheckRedirect = sameHostOnly
	return &fetcher{client: &client, issuer: cfg.Issuer, fixed: cfg.URL}
}

// newTransport is for a few small documents from one host.
func newTransport() http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.MaxIdleConns = 2
	transport.MaxResponseHeaderBytes = 64 << 10
	transport.DisableCompression = true // the limit on size is then one on work, too
	return transport
}

// sameHostOnly lets a provider move a document about on its own host. It is
// not to point the service at another one, nor at plain HTTP.
func sameHostOnly(next *http.Request, via []*http.Request) error {
	from := via[0].URL
	if next.URL.Scheme != from.Scheme || !equalFoldASCII(next.URL.Host, from.Host) {
		return errors.New("redirected to another host")
	}
	if len(via) > maxRedirects {
		return errors.New("redirected too often")
	}
	return nil
}

// keys fetches the provider's key set. With discover, and after a failed attempt, it first asks
// for the set's address.
func (f *fetcher) keys(ctx context.Context, discover bool) ([]byte, error) {
	address := f.fixed
	if address == "" {
		if discover || f.found == "" {
			if err := f.discover(ctx); err != nil {
				return nil, err
			}
		}
		address = f.found
	}
	document, err := f.get(ctx, address)
	if err != nil {
		f.forget()
	}
	return document, err
}

// forget makes the next fetch ask anew where the keys are.
func (f *fetcher) forget() { f.found = "" }

// discover finds the address of the key set.
func (f *fetcher) discover(ctx context.Context) (err error) {
	f.forget()
	f.found, err = f.discovered(ctx, "jwks_uri")
	return err
}

// discovered finds an address in the discovery document. The document's issuer must be the
// configured one, character for character.
func (f *fetcher) discovered(ctx context.Context, name string) (string, error) {
	document, err := f.get(ctx, strings.TrimSuffix(f.issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return "", err
	}
	m, err := parseMembers(document)
	if err != nil {
		return "", fmt.Errorf("discovery document: %w", err)
	}
	if issuer, _ := m.text("issuer"); issuer != f.issuer {
		return "", fmt.Errorf("discovery document: issuer is %q, configured is %q", clip(issuer), f.issuer)
	}
	address, _ := m.text(name)
	if err := f.checkAddress(name, address); err != nil {
		return "", fmt.Errorf("discovery document: %w", err)
	}
	return address, nil
}

func (f *fetcher) checkAddress(name, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New(name + " is not an absolute http or https address")
	}
	if u.Scheme == "http" && strings.HasPrefix(f.issuer, "https:") {
		return errors.New(name + " is not https, but the issuer is")
	}
	return nil
}

func (f *fetcher) get(ctx context.Context, address string) ([]byte, error) {
	body, _, err := f.getWith(ctx, address, maxDocumentSize, "")
	return body, err
}

// getWith gets a document of a limited size, with credentials if there are any.
func (f *fetcher) getWith(ctx context.Context, address string, limit int, credentials string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "application/json")
	if credentials != "" {
		req.Header.Set("Authorization", credentials)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s: status %d", req.URL.Redacted(), resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", req.URL.Redacted(), err)
	}
	if len(body) > limit {
		return nil, nil, fmt.Errorf("%s: more than %d bytes", req.URL.Redacted(), limit)
	}
	return body, resp.Header, nil
}

// clip shortens text from elsewhere for the log.
func clip(s string) string {
	const most = 100
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
