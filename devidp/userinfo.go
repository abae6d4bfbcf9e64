package devidp

import (
	"net/http"
	"strings"
)

// bearer finds out what an access token is worth now. Expiry, revocation, the
// end of its session and the removal of its user all make it worthless.
func (p *Provider) bearer(token string) (accessClaims, *account, bool) {
	var c accessClaims
	now := p.now()
	if p.keys.verify(token, now, &c) != nil || c.Kind != kindAccess || c.Issuer != p.issuer {
		return c, nil, false
	}
	who := p.directory.Load().subjects[c.Subject]
	if who == nil || now.Unix() >= c.Expires || !p.state.alive(c.ID) {
		return c, nil, false
	}
	return c, who, true
}

// userinfo answers with the claims about the subject of an access token (OpenID
// Connect Core, section 5.3). It takes the token from the header alone, and answers as RFC 6750 says.
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	fields := r.Header.Values("Authorization")
	scheme, token := "", ""
	if len(fields) == 1 {
		scheme, token, _ = strings.Cut(fields[0], " ")
	}
	if len(fields) > 1 {
		refuseBearer(w, http.StatusBadRequest, `Bearer error="invalid_request", error_description="More than one Authorization field"`)
		return
	}
	scheme, token = foldASCII(scheme), strings.TrimLeft(token, " ")
	if scheme != "bearer" && scheme != "dpop" {
		refuseBearer(w, http.StatusUnauthorized, "Bearer")
		return
	}
	c, who, ok := p.bearer(token)
	if ok && (scheme == "dpop") != (c.Confirmation != nil) {
		ok = false
	}
	if ok && scheme == "dpop" {
		thumbprint, refusal := p.proofKey(r, pathUserinfo, token)
		if refusal != nil || thumbprint != c.Confirmation.Thumbprint {
			refuseBearer(w, http.StatusUnauthorized, `DPoP error="invalid_dpop_proof", algs="`+proofAlgorithm+`"`)
			return
		}
	}
	if !ok {
		refuseBearer(w, http.StatusUnauthorized, `Bearer error="invalid_token", error_description="The token is unknown, expired or revoked"`)
		return
	}
	scopes := strings.Fields(c.Scope)
	writeJSON(w, http.StatusOK, struct {
		Subject string   `json:"sub"`
		Groups  []string `json:"groups"`
		userClaims
	}{who.subject, append([]string{}, who.groups...), claimsOf(who, scopes)})
}

// refuseBearer writes a refusal whose whole content is the challenge.
func refuseBearer(w http.ResponseWriter, status int, challenge string) {
	w.Header().Set("WWW-Authenticate", challenge)
	http.Error(w, http.StatusText(status), status)
}
