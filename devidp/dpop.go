package devidp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// proofAlgorithm is the algorithm of proofs: browsers and programs use it unless asked for
// another.
const proofAlgorithm = "ES256"

// Bounds of proofs (RFC 9449).
const (
	maxProofSize = 8 << 10
	proofWindow  = time.Minute // how far iat may be from now
	maxProofs    = 20_000      // remembered, so that none is used twice
)

// confirmation is the claim of a token bound to a key.
type confirmation struct {
	Thumbprint string `json:"jkt"`
}

type proofClaims struct {
	ID        string  `json:"jti"`
	Method    string  `json:"htm"`
	Address   string  `json:"htu"`
	IssuedAt  float64 `json:"iat"`
	TokenHash string  `json:"ath"`
}

func badProof(description string) *oauthError { return refuse("invalid_dpop_proof", description) }

// proofKey returns the thumbprint of the key proved by the sender of a request, "" without a
// proof. access is the token beside it, "" for none.
func (p *Provider) proofKey(r *http.Request, path, access string) (string, *oauthError) {
	proofs := r.Header.Values("DPoP")
	if len(proofs) == 0 {
		return "", nil
	}
	if len(proofs) > 1 {
		return "", badProof("There is more than one DPoP proof")
	}
	thumbprint, c, ok := readProof(proofs[0])
	if !ok {
		return "", badProof("The DPoP proof is malformed or not signed with its key and " + proofAlgorithm)
	}
	now := p.now()
	made := time.Unix(int64(c.IssuedAt), 0)
	switch {
	case c.Method != r.Method || c.Address != p.issuer+path:
		return "", badProof("The DPoP proof is for another request")
	case made.Sub(now).Abs() > proofWindow:
		return "", badProof("The DPoP proof was not made now")
	case access != "" && subtle.ConstantTimeCompare([]byte(c.TokenHash), []byte(digestText(access))) == 0:
		return "", badProof("The DPoP proof is for another token")
	case c.ID == "" || !p.state.firstUse(thumbprint+"."+digestText(c.ID)):
		return "", badProof("The DPoP proof was used before")
	}
	return thumbprint, nil
}

func digestText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return encodeSegment(sum[:])
}

// readProof reads a proof and verifies its signature.
func readProof(proof string) (thumbprint string, c proofClaims, ok bool) {
	if len(proof) > maxProofSize {
		return "", c, false
	}
	signed, err := jose.ParseSignedCompact(proof, []jose.SignatureAlgorithm{proofAlgorithm})
	if err != nil {
		return "", c, false
	}
	header := signed.Signatures[0].Protected
	if header.JSONWebKey == nil || header.ExtraHeaders[jose.HeaderType] != "dpop+jwt" {
		return "", c, false
	}
	if key, is := header.JSONWebKey.Key.(*ecdsa.PublicKey); !is || key.Curve != elliptic.P256() {
		return "", c, false
	}
	payload, err := signed.Verify(header.JSONWebKey)
	if err != nil || json.Unmarshal(payload, &c) != nil {
		return "", c, false
	}
	digest, err := header.JSONWebKey.Thumbprint(crypto.SHA256)
	return encodeSegment(digest), c, err == nil
}

// firstUse reports whether a proof was not used before.
func (s *state) firstUse(proof string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.proofs.get(proof, s.now()); used {
		return false
	}
	s.proofs.put(proof, struct{}{}, s.now())
	return true
}

// bind stores the key of a family's first tokens. The refresh token of a public client, shown
// without a secret, is good only with that key from then on.
func (s *state) bind(id, thumbprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.families.get(id, s.now()); ok && f.thumbprint == "" {
		f.thumbprint = thumbprint
	}
}

// bindTo binds an access token to a key, if there is one.
func (c accessClaims) bindTo(thumbprint string) accessClaims {
	if thumbprint != "" {
		c.Confirmation = &confirmation{thumbprint}
	}
	return c
}

// tokenType returns the scheme with which clients have to send a token.
func tokenType(thumbprint string) string {
	if thumbprint != "" {
		return "DPoP"
	}
	return "bearer"
}
