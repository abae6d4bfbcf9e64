package doctor

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// reply is an answer to a request of the doctor.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// downAdvice is for a library that is down behind a proxy.
const downAdvice = "The people who run the library have to start it, or to see why the proxy does not reach it."

// isGateway reports whether a proxy answers in place of an absent service, or a service
// says it cannot work now.
func (r reply) isGateway() bool {
	return r.status == http.StatusBadGateway || r.status == http.StatusServiceUnavailable || r.status == http.StatusGatewayTimeout
}

// challenges reports whether the answer asks for credentials of a scheme.
func (r reply) challenges(scheme string) bool {
	return slices.ContainsFunc(r.header.Values("WWW-Authenticate"), func(challenge string) bool {
		end := strings.IndexAny(challenge+" ", " ,")
		return strings.EqualFold(challenge[:end], scheme)
	})
}

// code returns the code of a refusal by the library, "" if another server answers.
func (r reply) code() string {
	var refusal api.Error
	_ = json.Unmarshal(r.body, &refusal) // "" if it is something else
	return terminal.Clean(refusal.Code)
}

// maxReply is enough for a discovery document and a key set.
const maxReply = 256 << 10

// get fetches an address, without any token, and reads the clock of the answering machine.
func (x *examination) get(ctx context.Context, whose, address string) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return reply{}, errors.New("it is not an address")
	}
	r.Header.Set("Accept", "application/json")
	began := time.Now()
	resp, err := x.http.Do(r)
	if err != nil {
		if sent, ok := errors.AsType[*url.Error](err); ok {
			err = sent.Err
		}
		return reply{}, err
	}
	defer resp.Body.Close()
	middle := began.Add(time.Since(began) / 2)
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return reply{}, err
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && whose != "" {
		// A date has no fractions of a second: on the average half of one is missing.
		x.clocks = append(x.clocks, clockReading{whose, date.Add(time.Second / 2).Sub(middle)})
	}
	return reply{resp.StatusCode, resp.Header, body}, nil
}

// checkServer checks whether the library answers. The library asks for a token in
// its own way, and nothing else does.
func (x *examination) checkServer(ctx context.Context) bool {
	const check = "server"
	got, err := x.get(ctx, "the server", x.address+"/me")
	switch {
	case err != nil:
		x.unreachable(check, x.address, err, "Check the address and that the library runs there.")
	case wantsTLS(got):
		x.bad(check, x.address+" speaks https, not http", "Write https:// instead of http:// in the address, and sign in again.")
	case got.status == http.StatusUnauthorized && (got.challenges("Bearer") || got.challenges("DPoP")):
		x.ok(check, x.address+" answers, and wants a token")
		return true
	case got.status == http.StatusUnauthorized && got.challenges("Basic"):
		x.bad(check, x.address+" wants a password instead of a token", "The people who run it have to start it without --auth basic.")
	case got.isGateway() && got.code() != "":
		x.bad(check, fmt.Sprintf("the library at %s cannot work now (status %d, %s)", x.address, got.status, got.code()),
			"Try again in a moment. If that does not help, tell the people who run it; its log says more.")
	case got.isGateway():
		x.bad(check, fmt.Sprintf("a proxy answers at %s, and the library behind it does not (status %d)", x.address, got.status), downAdvice)
	case got.status >= 300 && got.status < 400:
		x.bad(check, x.address+" redirects somewhere else", "Check the address; perhaps a proxy is in front of the library, or it is https.")
	default:
		x.bad(check, fmt.Sprintf("what answers at %s is not the library (status %d)", x.address, got.status),
			"Check the address, with its path, such as /library-server.")
	}
	return false
}

// checkProvider checks the provider, its name and its keys.
func (x *examination) checkProvider(ctx context.Context) {
	const check = "provider"
	if x.issuer == "" {
		x.bad(check, "it is not known which identity provider the library trusts", "Name it with --issuer.")
		return
	}
	if left := client.Placeholder(x.issuer); left != "" {
		x.bad(check, "the issuer still has the placeholder "+left+" in it", "Replace it with your value, here and in --issuer of the server.")
		return
	}
	address := strings.TrimSuffix(x.issuer, "/") + "/.well-known/openid-configuration"
	got, err := x.get(ctx, "the identity provider", address)
	switch {
	case err != nil:
		x.unreachable(check, x.issuer, err, "Check the issuer and that the identity provider runs.")
		return
	case wantsTLS(got):
		x.bad(check, x.issuer+" speaks https, not http", "Write https:// instead of http:// in the issuer.")
		return
	case got.isGateway():
		x.bad(check, fmt.Sprintf("a proxy answers at %s, and the identity provider behind it does not (status %d)", x.issuer, got.status),
			"Try again later, or tell the people who run the identity provider.")
		return
	case got.status != http.StatusOK:
		x.bad(check, fmt.Sprintf("%s is not there (status %d)", address, got.status), "Check the issuer, with its path.")
		return
	}
	x.ok(check, x.issuer+" answers")
	x.checkDocument(ctx, address, got.body)
}

// checkDocument checks the discovery document, then the keys and the login page that it names.
func (x *examination) checkDocument(ctx context.Context, address string, body []byte) {
	var document struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
		Login  string `json:"authorization_endpoint"`
		Logout bool   `json:"backchannel_logout_supported"`
	}
	_ = json.Unmarshal(body, &document) // Discover says that it is something else
	if _, err := client.Discover(ctx, x.issuer, nil); err != nil {
		advice := "Check the issuer. If it is right, the people who run the identity provider have to correct what is at " + address + "."
		if document.Issuer != "" && document.Issuer != x.issuer {
			advice = "Use the same spelling for 'library login --issuer' and for the --issuer of the server."
		}
		x.bad("issuer", strings.TrimPrefix(err.Error(), "discovery at "+address+": "), advice)
		return
	}
	x.ok("issuer", "the provider uses exactly this name")
	x.checkKeys(ctx, document.Keys)
	x.checkClient(ctx, document.Login)
	x.checkLogout(ctx, document.Logout)
}

// unreachable reports why a server does not answer, with advice for the known reasons.
func (x *examination) unreachable(check, address string, err error, advice string) {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		x.bad(check, "the certificate of "+address+" is signed by nobody whom this machine trusts",
			"If that is meant so, name the certificate of the signer in SSL_CERT_FILE, for this program and for the library.")
	case errors.As(err, &host):
		x.bad(check, "the certificate of "+address+" is for another host", "Use the name that the certificate is for.")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		x.bad(check, "the certificate of "+address+" has expired or is not valid yet", "Renew it; or set the clock of this machine.")
	case errors.Is(err, http.ErrSchemeMismatch):
		x.bad(check, address+" speaks http, not https", "Write http:// instead of https://; or the people who run it give it a certificate.")
	default:
		x.bad(check, fmt.Sprintf("%s does not answer (%v)", address, err), advice)
	}
}

// wantsTLS reports whether the answer is a server's usual reply to plain HTTP in place of TLS.
func wantsTLS(got reply) bool {
	return got.status == http.StatusBadRequest && bytes.Contains(bytes.ToUpper(got.body[:min(len(got.body), 1000)]), []byte("HTTPS"))
}

// checkClient checks whether the provider knows the client used by people: for
// any other it shows an error page, and must not redirect.
func (x *examination) checkClient(ctx context.Context, login string) {
	if !x.person || x.token != "" {
		return // a token proves its client is known
	}
	if login == "" {
		x.bad("client", "the document has no authorization_endpoint: people cannot sign in with a browser",
			"The people who run the identity provider have to add it to the discovery document.")
		return
	}
	query := url.Values{
		"response_type": {"code"}, "client_id": {x.clientID}, "redirect_uri": {"http://127.0.0.1/callback"}, "prompt": {"none"},
		"scope": {"openid"}, "state": {"x"}, "code_challenge_method": {"S256"}, "code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"},
	}
	separator := "?"
	if strings.Contains(login, "?") {
		separator = "&"
	}
	got, err := x.get(ctx, "", login+separator+query.Encode())
	switch {
	case err != nil:
		x.bad("client", "the login page cannot be had ("+err.Error()+")", "The identity provider has to be repaired.")
	case got.status >= 400 && got.status < 500:
		x.bad("client", fmt.Sprintf("the identity provider does not know the client %s, or not with the address http://127.0.0.1/callback (status %d)", x.clientID, got.status),
			"Check --client-id of 'library login'; the client has to be registered as a public one, with that address as a redirect on any port.")
	case got.status >= 500:
		x.bad("client", fmt.Sprintf("the login page is out of order (status %d)", got.status), "The identity provider has to be repaired.")
	default:
		x.ok("client", "the identity provider knows "+x.clientID)
	}
}

func (x *examination) checkKeys(ctx context.Context, address string) {
	const check = "keys"
	got, err := x.get(ctx, "", address)
	if err != nil || got.status != http.StatusOK {
		x.bad(check, fmt.Sprintf("the key set at %s cannot be had (%s)", address, whyNot(got.status, err)),
			"The identity provider has to be repaired, or a proxy in front of it opened.")
		return
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(got.body, &set) != nil || set.Keys == nil {
		x.bad(check, "what is at "+address+" is not a key set", "The identity provider has to be repaired.")
		return
	}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && usable(key) {
			x.keys = append(x.keys, key.KeyID)
		}
	}
	if len(set.Keys) == 0 {
		x.bad(check, "the key set at "+address+" is empty: no token can be verified", "The identity provider has to publish its keys.")
		return
	}
	if len(x.keys) == 0 {
		x.bad(check, "the key set has no key that verifies signatures", "The identity provider has to publish one: RSA of 2048 bits or more, an elliptic curve, or Ed25519.")
		return
	}
	x.ok(check, command.Quantity(len(x.keys), "key")+" of the provider can be used")
}

// usable reports whether the library would use a key, as far as this is easy to tell.
func usable(key jose.JSONWebKey) bool {
	const leastBits = 2048
	if public, ok := key.Key.(*rsa.PublicKey); ok && public.N.BitLen() < leastBits {
		return false
	}
	return key.Valid() && key.IsPublic() && key.Use != "enc"
}

func whyNot(status int, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("status %d", status)
}
