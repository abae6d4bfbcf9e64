package httpapi

import (
	"net/http"
	"strings"

	"example.org/library/auth"
	"example.org/library/auth/dpop"
)

// challenges makes the WWW-Authenticate fields of answers, with all schemes for callers.
type challenges struct {
	dpop   dpop.Mode
	nonces *dpop.Scheme // nil if proofs need none

	resource *resource // nil if its metadata are not told
}

func newChallenges(scheme auth.Scheme) challenges {
	s, is := scheme.(*dpop.Scheme)
	if !is {
		return challenges{}
	}
	c := challenges{dpop: s.Mode()}
	if s.AsksForNonces() {
		c.nonces = s
	}
	return c
}

// offerNonce tells a caller with DPoP the nonce for the next proof.
func (c challenges) offerNonce(x *exchange) {
	if c.nonces == nil || !dpop.SentAsDPoP(x.r) {
		return
	}
	if nonce := c.nonces.Nonce(); nonce != "" {
		x.w.Header().Set("DPoP-Nonce", nonce)
	}
}

// dpopAlgorithms names the algorithms of proofs.
var dpopAlgorithms = `algs="` + strings.Join(auth.Algorithms(), " ") + `"`

// field makes the field of a challenge as package auth writes it: one scheme and
// the mistake. The mistake goes with the scheme of the caller; the other scheme, if there
// is one, follows as an offer.
func (c challenges) field(r *http.Request, challenge string) string {
	scheme, problem, _ := strings.Cut(challenge, " ")
	if scheme == "Basic" || c.dpop == dpop.Off && c.resource == nil {
		return challenge
	}
	metadata := c.resource.parameter(r)
	bearer, proof := join("Bearer", metadata), join("DPoP", dpopAlgorithms, metadata)
	if usesDPoP := scheme == "DPoP" || dpop.SentAsDPoP(r) || c.dpop == dpop.Required; usesDPoP && c.dpop != dpop.Off {
		proof = join("DPoP", problem, dpopAlgorithms, metadata)
	} else {
		bearer = join("Bearer", problem, metadata)
	}
	switch {
	case c.dpop == dpop.Off:
		return bearer
	case c.dpop == dpop.Required:
		return proof
	case dpop.SentAsDPoP(r):
		return proof + ", " + bearer
	}
	return bearer + ", " + proof
}

// join writes a challenge.
func join(scheme string, parameters ...string) string {
	given := parameters[:0:0]
	for _, p := range parameters {
		if p != "" {
			given = append(given, p)
		}
	}
	return strings.TrimSpace(scheme + " " + strings.Join(given, ", "))
}
