package devidp

import (
	"net/http"
	"net/url"
	"strings"
)

// foreign reports whether a browser sends the request for a page that is not
// ours. What such a page sends is refused: it could send wrong passwords in the name
// of a person until that person has to wait.
//
// A page of ours that is reached without HTTPS from another machine sends the
// origin null and does not say where it comes from; its form has a token.
func (p *Provider) foreign(r *http.Request) bool {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
	default:
		return true
	}
	origins := r.Header.Values("Origin")
	switch {
	case len(origins) == 0 || len(origins) == 1 && origins[0] == "null":
		return false
	case len(origins) > 1:
		return true
	}
	u, err := url.Parse(origins[0])
	return err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) && origins[0] != p.origin
}

// foreignScript is foreign for what programs send and pages of ours never do.
// Scripts of registered origins are welcome.
func (p *Provider) foreignScript(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if len(r.Header.Values("Origin")) == 1 && p.directory.Load().origins[origin] {
		return false
	}
	return origin == "null" || p.foreign(r)
}

// errForeign refuses what another site's page sends.
func errForeign() *oauthError {
	e := invalidRequest("A page of an origin that is not registered may not ask for this")
	e.status = http.StatusForbidden
	return e
}
