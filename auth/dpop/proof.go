package dpop

import (
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"time"

	"example.org/library/auth"
)

// Bounds on proofs.
const (
	maxProofSize = 8 << 10          // bytes; a usual one has some 600
	maxJTI       = 256              // bytes of a jti
	window       = 60 * time.Second // how far iat may be from now, both ways
)

// Codes of refusals, equal to the error codes of RFC 9449.
const (
	CodeInvalidProof = "invalid_dpop_proof"
	CodeRequired     = "dpop_required" // a token was sent as Bearer where only DPoP is taken
)

var (
	errRequired = &auth.Error{
		Status: http.StatusUnauthorized, Code: CodeRequired, Message: "Only tokens bound to a key are taken, with a DPoP proof",
		Challenge: challenge("invalid_token", "Only tokens bound to a key are taken, with a DPoP proof"),
	}
	// RFC 9449, section 7.1: the proof may be good, but it is not one for this token.
	errOtherKey = &auth.Error{
		Status: http.StatusUnauthorized, Code: auth.CodeBoundToken, Message: "The DPoP proof was signed with a key other than the token's",
		Challenge: challenge("invalid_token", "The DPoP proof was signed with a key other than the token's"),
	}

	errNoProof   = invalidProof("The DPoP proof is missing")
	errTwoProofs = invalidProof("The request has more than one DPoP proof")
	errMethod    = invalidProof("The DPoP proof is for another method (htm)")
	errAddress   = invalidProof("The DPoP proof is for another address (htu)")
	errTokenHash = invalidProof("The DPoP proof is for another token (ath)")
	errTime      = invalidProof("The DPoP proof was not made within 60 seconds of the time of the service (iat)")
	errNoID      = invalidProof("The DPoP proof has no usable identifier (jti)")
	errReplayed  = invalidProof("The DPoP proof was used before (jti)")
)

func invalidProof(message string) *auth.Error {
	return &auth.Error{
		Status: http.StatusUnauthorized, Code: CodeInvalidProof, Message: message,
		Challenge: challenge(CodeInvalidProof, message),
	}
}

func challenge(code, description string) string {
	return `DPoP error="` + code + `", error_description="` + description + `"`
}

// unreadable are the refusals of malformed proofs.
var unreadable = func() map[error]*auth.Error {
	refusals := map[error]*auth.Error{}
	for _, err := range []error{auth.ErrProofMalformed, auth.ErrProofType, auth.ErrProofAlgorithm, auth.ErrProofKey, auth.ErrProofSignature} {
		refusals[err] = invalidProof("The DPoP proof " + err.Error())
	}
	return refusals
}()

// checkProof requires one proof in r, made with the key of the thumbprint for this request and
// this token, and not seen before.
func (s *Scheme) checkProof(r *http.Request, thumbprint string, token auth.Digest) *auth.Error {
	proof, refusal := proofOf(r)
	if refusal != nil {
		return refusal
	}
	if !equal(proof.Thumbprint, thumbprint) {
		return errOtherKey
	}
	now := s.now()
	jti, refusal := s.checkClaims(proof, r, token, now)
	if refusal != nil {
		return refusal
	}
	if refusal := s.checkNonce(proof, now); refusal != nil {
		return refusal
	}
	if err := proof.Verify(); err != nil {
		return unreadable[err]
	}
	if !s.seen.isNew(thumbprint, jti, now) {
		return errReplayed
	}
	return nil
}

func proofOf(r *http.Request) (*auth.SelfSigned, *auth.Error) {
	switch proofs := r.Header["Dpop"]; len(proofs) {
	case 0:
		return nil, errNoProof
	case 1:
		proof, err := auth.ParseSelfSigned(proofs[0], "dpop+jwt", maxProofSize)
		if err != nil {
			return nil, unreadable[err]
		}
		return proof, nil
	default:
		return nil, errTwoProofs
	}
}

// checkClaims returns the jti of a proof for this request and this token.
func (s *Scheme) checkClaims(proof *auth.SelfSigned, r *http.Request, token auth.Digest, now time.Time) (string, *auth.Error) {
	if htm, ok := proof.Text("htm"); !ok || htm != r.Method {
		return "", errMethod
	}
	if htu, ok := proof.Text("htu"); !ok || !s.address.is(htu, r) {
		return "", errAddress
	}
	if ath, ok := proof.Text("ath"); !ok || !equal(ath, base64.RawURLEncoding.EncodeToString(token[:])) {
		return "", errTokenHash
	}
	if iat, ok := proof.Time("iat"); !ok || iat.Sub(now).Abs() > window {
		return "", errTime
	}
	jti, ok := proof.Text("jti")
	if !ok || jti == "" || len(jti) > maxJTI {
		return "", errNoID
	}
	return jti, nil
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
