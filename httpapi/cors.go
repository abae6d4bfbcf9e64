package httpapi

import (
	"net/http"
	"strings"

	"example.org/library/auth/dpop"
)

// cors is the cross-origin policy of every path: the two forms of each client
// origin, the methods of the API, all request headers, credentials.
//
// Unlike most CORS middleware it does not only withhold headers from other origins:
// a request from another origin is refused before it can do anything.
type cors struct {
	origins map[string]bool
}

func newCORS(hosts []string) cors {
	c := cors{origins: make(map[string]bool)}
	for _, host := range hosts {
		host = strings.ToLower(host)
		c.allow("http://" + host)
		c.allow("https://" + host)
		// Browsers leave out the usual port of the scheme.
		if name, ok := strings.CutSuffix(host, ":443"); ok {
			c.allow("https://" + name)
		}
		if name, ok := strings.CutSuffix(host, ":80"); ok {
			c.allow("http://" + name)
		}
	}
	return c
}

func (c cors) allow(origin string) { c.origins[origin] = true }

// judge lets requests without an origin pass, marks the answers to allowed
// origins and refuses the rest. It is done with a good preflight, which
// needs no token and gets no body.
func (c cors) judge(x *exchange) (done bool, err error) {
	h := x.w.Header()
	if x.r.Method == http.MethodOptions {
		h.Set("Vary", "Origin, Authorization, Access-Control-Request-Method, Access-Control-Request-Headers")
	}
	named := x.r.Header["Origin"]
	if len(named) == 0 {
		return false, nil
	}
	if !c.origins[named[0]] || len(named) > 1 {
		return false, errForeignOrigin
	}
	h.Set("Access-Control-Allow-Origin", named[0])
	h.Set("Access-Control-Allow-Credentials", "true")
	method := x.r.Header["Access-Control-Request-Method"]
	preflight := x.r.Method == http.MethodOptions && len(method) > 0
	if preflight && !corsMethod(method) {
		return false, errForeignMethod
	}
	if !preflight {
		exposed := corsExposed
		if x.server.challenges.dpop != dpop.Off {
			exposed = corsExposedProofs
		}
		h.Set("Access-Control-Expose-Headers", exposed)
		return false, nil
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	h.Set("Access-Control-Max-Age", "600")
	for _, requested := range x.r.Header["Access-Control-Request-Headers"] {
		h.Add("Access-Control-Allow-Headers", requested)
	}
	x.write(http.StatusOK, nil)
	return true, nil
}

func corsMethod(requested []string) bool {
	if len(requested) != 1 {
		return false
	}
	switch requested[0] {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}
