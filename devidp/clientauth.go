package devidp

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
)

// credentials are what a client says of itself.
type credentials struct {
	id     string
	secret string
	basic  bool
}

// clientRequest reads the body of a request, and returns the client that sent it.
func (p *Provider) clientRequest(r *http.Request) (params, *Client, error) {
	form, err := tokenParams(r)
	if err != nil {
		return params{}, nil, err
	}
	client, err := p.authenticateClient(r, p.directory.Load(), form)
	return form, client, err
}

// authenticateClient returns the client that sent the request. A confidential
// one has to show its secret, in the header or in the body; a public one only
// says who it is.
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
