package devidp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"time"
)

// proofAlgorithm is the one that proofs are made with: what browsers and programs
// use if nobody asks for another.
const proofAlgorithm = "ES256"

// Bounds of proofs (RFC 9449).
const (
	maxProofSize = 8 << 10
	proofWindow  = time.Minute // how far iat may be from now
	maxProofs    = 20_000      // remembered, so that none is used twice
)

// confirmation is the claim of tokens that are bound to a key.
type confirmation struct {
	Thumbprint string `json:"jkt"`
}

// proofHeader is what counts in the header of a proof.
type proofHeader struct {
	Typ string `json:"typ"`
	Alg string `json:"alg"`
	Key struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		X   string `json:"x"`
		Y   string `json:"y"`
		D   string `json:"d"`
	} `json:"jwk"`
}

type proofClaims struct {
	ID        string  `json:"jti"`
	Method    string  `json:"htm"`
	Address   string  `json:"htu"`
	IssuedAt  float64 `json:"iat"`
	TokenHash string  `json:"ath"`
}

func badProof(description string) *oauthError { return refuse("invalid_dpop_proof", description) }

// proofKey returns the thumbprint of the key with which the sender of a request has proved
// to have it, "" if there is no proof. access is the token that goes with it, "" for none.
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

// readProof reads a proof whose signature is good.
func readProof(proof string) (thumbprint string, c proofClaims, ok bool) {
	segments := strings.Split(proof, ".")
	if len(proof) > maxProofSize || len(segments) != 3 {
		return "", c, false
	}
	var decoded [3][]byte
	for i, segment := range segments {
		var err error
		if decoded[i], err = decodeSegment(segment); err != nil {
			return "", c, false
		}
	}
	var h proofHeader
	if json.Unmarshal(decoded[0], &h) != nil || json.Unmarshal(decoded[1], &c) != nil ||
		h.Typ != "dpop+jwt" || h.Alg != proofAlgorithm || h.Key.Kty != "EC" || h.Key.Crv != "P-256" || h.Key.D != "" {
		return "", c, false
	}
	x, err1 := decodeSegment(h.Key.X)
	y, err2 := decodeSegment(h.Key.Y)
	if err1 != nil || err2 != nil || len(x) != 32 || len(y) != 32 || len(decoded[2]) != 64 {
		return "", c, false
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	if err != nil {
		return "", c, false
	}
	sum := sha256.Sum256([]byte(segments[0] + "." + segments[1]))
	r, s := new(big.Int).SetBytes(decoded[2][:32]), new(big.Int).SetBytes(decoded[2][32:])
	if !ecdsa.Verify(public, sum[:], r, s) {
		return "", c, false
	}
	return digestText(`{"crv":"P-256","kty":"EC","x":"` + h.Key.X + `","y":"` + h.Key.Y + `"}`), c, true
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

// bind notes the key of a family's first tokens. The refresh token of a public client, which
// has no secret to show with it, is good only with that key from then on.
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

// tokenType is what clients have to send a token as.
func tokenType(thumbprint string) string {
	if thumbprint != "" {
		return "DPoP"
	}
	return "bearer"
}
