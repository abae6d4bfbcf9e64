package httpapi

import (
	"net/http"

	"example.org/library/httpapi/internal/responsecache"
)

const (
	varyUsual   = "Origin, Authorization"
	corsExposed = "Link, X-Total-Count, X-Total-Count-Exact, ETag, Location, X-Request-Id, WWW-Authenticate, Idempotency-Replayed"
	// corsExposedProofs are exposed as well where callers make proofs.
	corsExposedProofs = corsExposed + ", DPoP-Nonce, Date"
)

// setUsual sets the headers of every response.
func setUsual(h http.Header, requestID string, overTLS bool) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", varyUsual)
	h.Set("X-Request-Id", requestID)
	if overTLS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// setHeaders sets the headers of a response, except its length.
func setHeaders(h http.Header, r *responsecache.Response) {
	h.Set("Content-Type", "application/json")
	if r.File != "" {
		h.Set("Content-Type", exportFormats["csv"].media)
		h.Set("Content-Disposition", `attachment; filename="`+r.File+`"`)
	}
	setUnlessEmpty(h, "X-Total-Count", r.Total)
	setUnlessEmpty(h, "Link", r.Link)
	if r.AtLeast {
		h.Set("X-Total-Count-Exact", "false")
	}
	if r.Corrected != "" {
		h.Set("X-Corrected-Query", r.Corrected)
		exposeCorrection(h)
	}
	setTag(h, r.Tag)
}

func setUnlessEmpty(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// exposeCorrection lets pages of other origins read X-Corrected-Query.
func exposeCorrection(h http.Header) {
	if exposed := h.Get("Access-Control-Expose-Headers"); exposed != "" {
		h.Set("Access-Control-Expose-Headers", exposed+", X-Corrected-Query")
	}
}

// setTag sets an entity tag, unless it is "", and lets the caller keep the answer.
func setTag(h http.Header, tag string) {
	if tag != "" {
		h.Set("ETag", tag)
		h.Set("Cache-Control", "private, no-cache")
	}
}
