package devidp

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
)

// tokenRequest is a request to the token endpoint from a known client with the right to use the
// grant.
type tokenRequest struct {
	http      *http.Request
	directory *directory
	client    *Client
	form      params

	thumbprint string // of the key that the client has proved to have, "" for none
}

// token is the token endpoint: it authenticates the client and leaves the rest to the grant.
func (p *Provider) token(r *http.Request) (any, error) {
	form, err := bodyParams(r)
	if err != nil {
		return nil, err
	}
	grant := form.get("grant_type")
	if grant == "" {
		return nil, errMissing("grant_type")
	}
	d := p.directory.Load()
	client, err := p.authenticateClient(r, d, form)
	if err != nil {
		return nil, err
	}
	handle := map[string]func(tokenRequest) (any, error){
		grantCode: p.codeGrant, grantRefresh: p.refreshGrant, grantPassword: p.passwordGrant,
		grantClient: p.clientGrant,
	}[grant]
	if handle == nil {
		return nil, refuse("unsupported_grant_type", "The grant type is not supported")
	}
	if !client.allows(grant) {
		return nil, refuse("unauthorized_client", "The client may not use this grant type")
	}
	thumbprint, refusal := p.proofKey(r, pathToken, "")
	if refusal != nil {
		return nil, refusal
	}
	return handle(tokenRequest{http: r, directory: d, client: client, form: form, thumbprint: thumbprint})
}

// credentials are the name and the secret sent by a client.
type credentials struct {
	id     string
	secret string
	basic  bool
}

// clientRequest reads the body of a request and returns its client.
func (p *Provider) clientRequest(r *http.Request) (params, *Client, error) {
	form, err := bodyParams(r)
	if err != nil {
		return params{}, nil, err
	}
	client, err := p.authenticateClient(r, p.directory.Load(), form)
	return form, client, err
}

// authenticateClient returns the client of the request. A confidential client must show its
// secret, in the header or in the body; a public one only gives its name.
func (p *Provider) authenticateClient(r *http.Request, d *directory, form params) (*Client, error) {
	c, err := clientCredentials(r, form)
	if err != nil {
		return nil, err
	}
	client := d.clients[c.id]
	if client == nil {
		p.log.Warn("client refused: unknown")
		return nil, invalidClient(c.basic)
	}
	// A public client has no secret, so only the empty one is equal to it.
	if !equalSecrets(c.secret, client.Secret) {
		p.log.Warn("client refused: wrong or missing secret", "client", client.ID)
		return nil, invalidClient(c.basic)
	}
	return client, nil
}

func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// invalidClient is the same for an unknown client and for a wrong secret.
func invalidClient(basic bool) *oauthError {
	e := refuse("invalid_client", "Unknown client, or wrong client credentials")
	e.status = http.StatusUnauthorized
	if basic {
		e.challenge = `Basic realm="library"`
	}
	return e
}

func clientCredentials(r *http.Request, form params) (credentials, error) {
	inBody := credentials{id: form.get("client_id"), secret: form.get("client_secret")}
	switch fields := r.Header.Values("Authorization"); len(fields) {
	case 0:
		return inBody, nil
	case 1:
	default:
		return credentials{}, invalidRequest("The request has more than one Authorization field")
	}
	inHeader, ok := basicCredentials(r)
	switch {
	case !ok:
		return credentials{}, invalidClient(true)
	case inBody.secret != "":
		return credentials{}, invalidRequest("The client authenticates in more than one way")
	case inBody.id != "" && inBody.id != inHeader.id:
		return credentials{}, invalidRequest("The client calls itself by two names")
	}
	return inHeader, nil
}

// basicCredentials reads the Authorization field. Name and secret are encoded
// as in a form before they are put together (RFC 6749, section 2.3.1).
func basicCredentials(r *http.Request) (credentials, bool) {
	name, password, ok := r.BasicAuth()
	if !ok {
		return credentials{}, false
	}
	id, err1 := url.QueryUnescape(name)
	secret, err2 := url.QueryUnescape(password)
	if err1 != nil || err2 != nil || strings.TrimSpace(id) == "" {
		return credentials{}, false
	}
	return credentials{id: id, secret: secret, basic: true}, true
}
