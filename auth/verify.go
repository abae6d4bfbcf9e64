package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	_ "crypto/sha256" // the hashes that PS256, PS384 and PS512 name
	_ "crypto/sha512"
	"errors"

	"github.com/go-jose/go-jose/v4"
)

// verify checks the token's signature with the candidate keys.
//
// The signature is over the encoded segments. go-jose encodes the payload again for that, with the
// same result because [parseToken] let only one spelling pass.
func (t *token) verify(keys *ring) *Error {
	candidates := keys.candidates(t.header)
	if len(candidates) == 0 {
		return errUnknownKey
	}
	allowed := []jose.SignatureAlgorithm{jose.SignatureAlgorithm(t.header.algorithm)}
	signed, err := jose.ParseSignedCompact(t.raw, allowed)
	if err != nil {
		return errMalformed // for example an embedded jwk that is no key
	}
	for _, k := range candidates {
		if _, err := signed.Verify(verifierFor(k, t.header.algorithm)); err == nil {
			return nil
		}
	}
	return errSignature
}

// verifierFor returns the key for go-jose, or our own verifier for algorithms with too wide a rule
// in go-jose.
func verifierFor(k *key, a algorithm) any {
	if hash, ok := pssHashes[jose.SignatureAlgorithm(a)]; ok {
		if public, ok := k.public.(*rsa.PublicKey); ok {
			return pssVerifier{public: public, hash: hash}
		}
	}
	return k.public
}

var pssHashes = map[jose.SignatureAlgorithm]crypto.Hash{
	jose.PS256: crypto.SHA256, jose.PS384: crypto.SHA384, jose.PS512: crypto.SHA512,
}

// pssVerifier requires a salt as long as the hash, as RFC 7518 does; go-jose
// accepts any length.
type pssVerifier struct {
	public *rsa.PublicKey
	hash   crypto.Hash
}

func (v pssVerifier) VerifyPayload(payload, signature []byte, alg jose.SignatureAlgorithm) error {
	if pssHashes[alg] != v.hash {
		return errors.New("the algorithm is not the one of the header")
	}
	h := v.hash.New()
	h.Write(payload)
	return rsa.VerifyPSS(v.public, v.hash, h.Sum(nil), signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
}

// algorithm is the name of a signature algorithm, as in a token's alg.
type algorithm jose.SignatureAlgorithm

// The allow-list, with the keys of each algorithm. There is no symmetric algorithm on it: a public
// key must never serve as a secret.
var algorithms = map[algorithm]func(public any) bool{
	"RS256": is[*rsa.PublicKey], "RS384": is[*rsa.PublicKey], "RS512": is[*rsa.PublicKey],
	"PS256": is[*rsa.PublicKey], "PS384": is[*rsa.PublicKey], "PS512": is[*rsa.PublicKey],
	"ES256": isOn(elliptic.P256()),
	"ES384": isOn(elliptic.P384()),
	"ES512": isOn(elliptic.P521()),
	"EdDSA": is[ed25519.PublicKey],
}

func (a algorithm) allowed() bool { return algorithms[a] != nil }

// worksWith reports whether public is a key of the right kind for a.
func (a algorithm) worksWith(public any) bool {
	fits := algorithms[a]
	return fits != nil && fits(public)
}

func is[T any](public any) bool {
	_, ok := public.(T)
	return ok
}

func isOn(curve elliptic.Curve) func(any) bool {
	return func(public any) bool {
		key, ok := public.(*ecdsa.PublicKey)
		return ok && key.Curve == curve
	}
}
