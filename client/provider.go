package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Provider is a discovered OpenID provider. It is safe for concurrent use.
type Provider struct {
	meta metadata
	http *http.Client
	keys oidc.KeySet
	key  *Key // that tokens are to be bound to; nil for none
}

// metadata holds the members we use of a discovery document.
type metadata struct {
	Issuer          string   `json:"issuer"`
	Authorization   string   `json:"authorization_endpoint"`
	Token           string   `json:"token_endpoint"`
	Keys            string   `json:"jwks_uri"`
	Revocation      string   `json:"revocation_endpoint"`
	EndSession      string   `json:"end_session_endpoint"`
	Device          string   `json:"device_authorization_endpoint"`
	Algorithms      []string `json:"id_token_signing_alg_values_supported"`
	TokenAuth       []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth  []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges      []string `json:"code_challenge_methods_supported"`
	Proofs          []string `json:"dpop_signing_alg_values_supported"`
	IssuerParameter bool     `json:"authorization_response_iss_parameter_supported"`
}

const wellKnown = "/.well-known/openid-configuration"

// Discover asks the provider at issuer for its endpoints. The provider's own name must be exactly
// issuer, since the service expects it in tokens.
//
// Only the transport of the HTTP client, possibly nil, and its time-out below 10 s are used.
func Discover(ctx context.Context, issuer string, c *http.Client) (*Provider, error) {
	if err := checkIssuer(issuer); err != nil {
		return nil, err
	}
	p := &Provider{http: newHTTPClient(c)}
	if err := p.discover(ctx, issuer); err != nil {
		return nil, err
	}
	p.keys = oidc.NewRemoteKeySet(p.context(context.Background()), p.meta.Keys)
	return p, nil
}

// Issuer returns the provider's own name.
func (p *Provider) Issuer() string { return p.meta.Issuer }

// Placeholder returns a placeholder left in an address, such as <TENANT-ID> or {tenant}, or "".
func Placeholder(address string) string { return placeholder.FindString(address) }

var placeholder = regexp.MustCompile(`<[^<>]*>|\{[^{}]*\}`)

func checkIssuer(issuer string) error {
	if left := Placeholder(issuer); left != "" {
		return fmt.Errorf("the issuer still has the placeholder %s in it; replace it with your value", clip(left))
	}
	if strings.Contains(issuer, wellKnown) {
		return fmt.Errorf("the issuer must be given without %s", wellKnown)
	}
	if problem := addressProblem(issuer); problem != "" { // it may hold a password, so it is not quoted
		return fmt.Errorf("the issuer %s; it looks like https://id.example.com/realms/library", problem)
	}
	if strings.Contains(issuer, "?") {
		return errors.New("the issuer must not have a query")
	}
	return nil
}

// addressProblem says why an address cannot be the one of an endpoint, or "".
func addressProblem(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "is not an http or https address"
	case u.User != nil:
		return "must not have a user name"
	case strings.Contains(address, "#"):
		return "must not have a fragment"
	}
	return ""
}

func (p *Provider) discover(ctx context.Context, issuer string) error {
	address := strings.TrimSuffix(issuer, "/") + wellKnown
	doing := "discovery at " + address
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("the issuer is not an address: %s", clip(issuer))
	}
	r.Header.Set("Accept", "application/json")
	resp, err := p.http.Do(r)
	if err != nil {
		return transportError(doing, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d: there is no OpenID provider; check the path of the issuer", doing, resp.StatusCode)
	}
	if err := json.NewDecoder(resp.Body).Decode(&p.meta); err != nil {
		return fmt.Errorf("%s: the answer is not a discovery document: there is no OpenID provider; check the issuer", doing)
	}
	if err := p.meta.check(issuer); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// check compares the document with the issuer.
func (m *metadata) check(issuer string) error {
	if err := sameIssuer(issuer, m.Issuer); err != nil {
		return err
	}
	for _, endpoint := range []struct {
		name, address string
		required      bool
	}{
		{"token_endpoint", m.Token, true},
		{"jwks_uri", m.Keys, true},
		{"authorization_endpoint", m.Authorization, false},
		{"revocation_endpoint", m.Revocation, false},
		{"device_authorization_endpoint", m.Device, false},
	} {
		switch problem := addressProblem(endpoint.address); {
		case endpoint.address == "" && !endpoint.required:
		case endpoint.address == "":
			return fmt.Errorf("the document has no %s; the provider has to be repaired", endpoint.name)
		case problem != "":
			return fmt.Errorf("the %s %s; the provider has to be repaired", endpoint.name, problem)
		case strings.HasPrefix(issuer, "https:") && !strings.HasPrefix(endpoint.address, "https:"):
			return fmt.Errorf("the %s is not https, but the issuer is; the provider has to be repaired", endpoint.name)
		}
	}
	m.Algorithms = slices.DeleteFunc(m.Algorithms, func(a string) bool { return !slices.Contains(asymmetric, a) })
	return nil
}

func sameIssuer(want, got string) error {
	switch {
	case got == want:
		return nil
	case got == "":
		return errors.New("the document names no issuer: there is no OpenID provider; check the issuer")
	case got+"/" == want:
		return fmt.Errorf("the provider calls itself %q, without the slash at the end; use exactly that as the issuer", clip(got))
	case got == want+"/":
		return fmt.Errorf("the provider calls itself %q, with a slash at the end; use exactly that as the issuer", clip(got))
	}
	return fmt.Errorf("the provider calls itself %q, not %q; "+
		"if that is the provider you mean, use exactly that as the issuer", clip(got), clip(want))
}

// clip shortens text from elsewhere.
func clip(s string) string {
	const most = 200
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
