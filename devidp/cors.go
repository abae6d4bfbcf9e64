package devidp

import (
	"net/http"
	"slices"
	"strings"
)

// cors lets scripts of registered origins read the answer. It reports whether
// it has answered the request, which it does for a preflight. No credentials
// are allowed: none of these endpoints looks at cookies.
func (p *Provider) cors(w http.ResponseWriter, r *http.Request, methods []string) bool {
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	allowed := len(r.Header.Values("Origin")) == 1 && p.directory.Load().origins[origin]
	if allowed {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate")
	}
	wanted := r.Header.Get("Access-Control-Request-Method")
	if r.Method != http.MethodOptions || origin == "" || wanted == "" {
		return false
	}
	h.Add("Vary", "Access-Control-Request-Method")
	h.Add("Vary", "Access-Control-Request-Headers")
	if !allowed || !slices.Contains(methods, wanted) {
		h.Del("Access-Control-Allow-Origin")
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
		return true
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	headers := "Accept, Authorization, Content-Type"
	if strings.Contains(foldASCII(r.Header.Get("Access-Control-Request-Headers")), "dpop") {
		headers += ", DPoP"
	}
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
