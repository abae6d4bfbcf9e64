package httpapi

import "net/http"

// Header values are shared between responses: assigning a ready slice to a
// canonical name costs a fraction of Header.Set, and nobody appends to them.
var (
	noSniff      = []string{"nosniff"}
	denyFraming  = []string{"DENY"}
	noStore      = []string{"no-store"}
	revalidate   = []string{"private, no-cache"}
	oneYearHSTS  = []string{"max-age=31536000"}
	contentJSON  = []string{"application/json"}
	contentYAML  = []string{"application/yaml"}
	contentSSE   = []string{"text/event-stream"}
	unbuffered   = []string{"no"}
	varyActual   = []string{"Origin, Authorization"}
	varyOptions  = []string{"Origin, Authorization, Access-Control-Request-Method, Access-Control-Request-Headers"}
	allowedTrue  = []string{"true"}
	corsMethods  = []string{"GET, POST, PUT, DELETE"}
	corsExposed  = []string{"Link, X-Total-Count, ETag, Location, X-Request-Id, WWW-Authenticate"}
	corsPreflAge = []string{"600"}
)

// headers is what every response carries, whatever becomes of the request.
type headers struct{ tls bool }

func newHeaders(tls bool) headers { return headers{tls: tls} }

func (hs headers) write(h http.Header, requestID []string) {
	h["X-Content-Type-Options"] = noSniff
	h["X-Frame-Options"] = denyFraming
	h["Cache-Control"] = noStore
	h["Vary"] = varyActual
	h["X-Request-Id"] = requestID
	if hs.tls {
		h["Strict-Transport-Security"] = oneYearHSTS
	}
}
