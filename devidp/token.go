package devidp

import "net/http"

// tokenRequest is a request to the token endpoint whose client is known and
// may use the grant that it asks for.
type tokenRequest struct {
	http      *http.Request
	directory *directory
	client    *Client
	form      params

	thumbprint string // of the key that the client has proved to have, "" for none
}

// token is the token endpoint: it finds out who asks, then leaves the rest to
// the grant.
func (p *Provider) token(r *http.Request) (any, error) {
	form, err := tokenParams(r)
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
		grantDevice: p.deviceGrant, grantClient: p.clientGrant,
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
