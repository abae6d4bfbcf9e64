package auth

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

func TestWhatAProviderMayAnswer(t *testing.T) {
	t.Parallel()
	good := jwks(ecSigner())
	document := func(issuer, uri string) func(*provider) {
		return func(p *provider) { p.discovery = `{"issuer":"` + issuer + `","jwks_uri":"` + uri + `"}` }
	}
	for name, tt := range map[string]struct {
		change func(*provider)
		want   string // a part of the error, "" for success
	}{
		"all is well":                          {func(*provider) {}, ""},
		"keys elsewhere by discovery":          {document(testIssuer, "https://keys.example.com/x"), ""},
		"a set of exactly 256 KiB":             {func(p *provider) { p.keys = good + strings.Repeat(" ", 256<<10-len(good)) }, ""},
		"a set of one byte more":               {func(p *provider) { p.keys = good + strings.Repeat(" ", 256<<10-len(good)+1) }, "more than 262144 bytes"},
		"a discovery document too long":        {func(p *provider) { p.discovery += strings.Repeat(" ", 256<<10) }, "more than 262144 bytes"},
		"a status other than 200":              {func(p *provider) { p.status = http.StatusNonAuthoritativeInfo }, "status 203"},
		"not found":                            {func(p *provider) { p.status = http.StatusNotFound }, "status 404"},
		"a redirect on the same host":          {func(p *provider) { p.redirect = "https://idp.example.com/moved" }, "discovery document"},
		"a redirect to another host":           {func(p *provider) { p.redirect = "https://evil.example.com/" }, "redirected to another host"},
		"a redirect to another port":           {func(p *provider) { p.redirect = "https://idp.example.com:8443/" }, "redirected to another host"},
		"a redirect to plain HTTP":             {func(p *provider) { p.redirect = "http://idp.example.com/" }, "redirected to another host"},
		"a redirect to a file":                 {func(p *provider) { p.redirect = "file:///etc/passwd" }, "redirected to another host"},
		"another issuer":                       {document("https://evil.example.com", testJWKSURL), `issuer is "https://evil.example.com", configured is "` + testIssuer + `"`},
		"an issuer with a slash more":          {document(testIssuer+"/", testJWKSURL), "issuer is"},
		"no issuer":                            {func(p *provider) { p.discovery = `{"jwks_uri":"` + testJWKSURL + `"}` }, `issuer is ""`},
		"an issuer that is no string":          {func(p *provider) { p.discovery = `{"issuer":["` + testIssuer + `"]}` }, `issuer is ""`},
		"two issuers":                          {func(p *provider) { p.discovery = strings.Replace(p.discovery, "{", `{"issuer":"x",`, 1) }, "duplicate member"},
		"an issuer of another case":            {func(p *provider) { p.discovery = strings.Replace(p.discovery, "issuer", "Issuer", 1) }, `issuer is ""`},
		"no address of keys":                   {func(p *provider) { p.discovery = `{"issuer":"` + testIssuer + `"}` }, "jwks_uri is not an absolute"},
		"a relative address of keys":           {document(testIssuer, "/certs"), "jwks_uri is not an absolute"},
		"an address of keys without a scheme":  {document(testIssuer, "//idp.example.com/certs"), "jwks_uri is not an absolute"},
		"an address of keys that is a file":    {document(testIssuer, "file:///certs"), "jwks_uri is not an absolute"},
		"an address of keys with plain HTTP":   {document(testIssuer, "http://idp.example.com/certs"), "jwks_uri is not https"},
		"a discovery document that is no JSON": {func(p *provider) { p.discovery = "<html>" }, "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(good)
			tt.change(p)
			err := p.keySet(nil).renew(t.Context(), true)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			for _, address := range p.requests {
				if strings.Contains(address, "evil") {
					t.Errorf("asked %s", address)
				}
			}
		})
	}
}

func TestDiscoveryToleratesASlashAtTheEndOfTheIssuer(t *testing.T) {
	t.Parallel()
	p := newProvider(jwks(ecSigner()))
	p.discovery = strings.Replace(p.discovery, "workshop", "workshop/", 1)
	keys := NewKeySet(KeySetConfig{Issuer: testIssuer + "/", Client: &http.Client{Transport: p}, Logger: slog.New(slog.DiscardHandler)})
	testkit.NoError(t, keys.renew(t.Context(), true))
	if got, want := p.requests[0], testIssuer+"/.well-known/openid-configuration"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestAFixedAddressNeedsNoDiscovery(t *testing.T) {
	t.Parallel()
	p := newProvider(jwks(ecSigner()))
	keys := NewKeySet(KeySetConfig{Issuer: "http://other.example.com", URL: testJWKSURL, Client: &http.Client{Transport: p}, Logger: slog.New(slog.DiscardHandler)})
	for range 2 {
		testkit.NoError(t, keys.renew(t.Context(), true))
	}
	testkit.Diff(t, []string{testJWKSURL, testJWKSURL}, p.requests)
}

func TestDiscoveryIsRepeatedOnlyWhenItMayHelp(t *testing.T) {
	t.Parallel()
	const discovery = testIssuer + "/.well-known/openid-configuration"
	p := newProvider(jwks(ecSigner()))
	keys := p.keySet(nil)
	steps := []struct {
		name     string
		status   int
		discover bool
		want     []string
	}{
		{"the first fetch", 0, false, []string{discovery, testJWKSURL}},
		{"an unknown kid", 0, false, []string{testJWKSURL}},
		{"a regular refresh", 0, true, []string{discovery, testJWKSURL}},
		{"an unknown kid that fails", 500, false, []string{testJWKSURL}},
		{"the one after that", 0, false, []string{discovery, testJWKSURL}},
	}
	for _, step := range steps {
		p.change(func(p *provider) { p.status, p.requests = step.status, nil })
		_ = keys.renew(t.Context(), step.discover)
		if diff := cmp.Diff(step.want, p.requests); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}

func TestTooManyRedirects(t *testing.T) {
	t.Parallel()
	loop := roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 302, Header: http.Header{"Location": {req.URL.String() + "x"}}, Body: http.NoBody, Request: req}, nil
	})
	keys := NewKeySet(KeySetConfig{Issuer: testIssuer, Client: &http.Client{Transport: loop}, Logger: slog.New(slog.DiscardHandler)})
	if err := keys.renew(t.Context(), true); err == nil || !strings.Contains(err.Error(), "redirected too often") {
		t.Errorf("got %v", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestTheClientOfTheCallerIsNotChanged(t *testing.T) {
	t.Parallel()
	client := &http.Client{}
	NewKeySet(KeySetConfig{Issuer: testIssuer, Client: client})
	if client.CheckRedirect != nil {
		t.Error("it has a redirect policy now")
	}
}

func TestTheLogNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := newProvider(jwksOf(ecSigner().jwk(nil),
		rsaSigner().jwk(map[string]any{"kid": "old\nline", "n": "AQAB"}),
		rsaSigner().jwk(map[string]any{"kid": "for secrets", "use": "enc"})))
	keys := NewKeySet(KeySetConfig{
		Issuer: testIssuer, Client: &http.Client{Transport: p}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	fetch := func() { <-keys.regular().done }
	fetch()
	fetch()
	if got := strings.Count(log.String(), `msg="key passed over" kid="old\nline" reason="the key is weak"`); got != 1 {
		t.Errorf("the key is named %d times:\n%s", got, log.String())
	}
	if strings.Contains(log.String(), "for secrets") {
		t.Errorf("an encryption key, which is nothing unusual, is named:\n%s", log.String())
	}
	p.change(func(p *provider) { p.discovery = strings.Replace(p.discovery, "workshop", "other", 1) })
	fetch()
	if !strings.Contains(log.String(), "realms/other") || !strings.Contains(log.String(), testIssuer) {
		t.Errorf("the issuers are not named:\n%s", log.String())
	}
}

func TestTheOwnClientAsksWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	f := newFetcher(KeySetConfig{Issuer: testIssuer})
	if f.client.CheckRedirect == nil || f.client.Transport == http.DefaultTransport || f.client.Jar != nil {
		t.Errorf("%+v", f.client)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := f.keys(ctx, true); err == nil {
		t.Error("asked without time")
	}
}
