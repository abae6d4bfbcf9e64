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
// a request that names another origin is refused before it can do anything.
type cors struct {
	origins map[string][]string // origin → the header value that allows it
}

func newCORS(hosts []string) cors {
	c := cors{origins: make(map[string][]string)}
	for _, host := range hosts {
		host = strings.ToLower(host)
		c.allow("http://" + host)
		c.allow("https://" + host)
		// Browsers leave out the port that the scheme implies.
		if name, ok := strings.CutSuffix(host, ":443"); ok {
			c.allow("https://" + name)
		}
		if name, ok := strings.CutSuffix(host, ":80"); ok {
			c.allow("http://" + name)
		}
	}
	return c
}

func (c cors) allow(origin string) { c.origins[origin] = []string{origin} }

// judge lets requests without an origin pass, marks the answers to allowed
// origins and refuses the rest. It is done with a request that is a good
// preflight: that needs no token, and gets no body.
func (c cors) judge(x *exchange) (done bool, err error) {
	h := x.w.Header()
	if x.r.Method == http.MethodOptions {
		h.Set("Vary", "Origin, Authorization, Access-Control-Request-Method, Access-Control-Request-Headers")
	}
	named := x.r.Header["Origin"]
	if len(named) == 0 {
		return false, nil
	}
	allowed, ok := c.origins[named[0]]
	if !ok || len(named) > 1 {
		return false, errForeignOrigin
	}
	setCORS(h, allowed)
	method := x.r.Header["Access-Control-Request-Method"]
	preflight := x.r.Method == http.MethodOptions && len(method) > 0
	if preflight && !corsMethod(method) {
		return false, errForeignMethod
	}
	if !preflight {
		exposeHeaders(h, x.server.challenges.dpop != dpop.Off)
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
