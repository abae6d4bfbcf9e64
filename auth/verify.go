package auth

import (
	"crypto"
	"crypto/rsa"
	_ "crypto/sha256" // the hashes that PS256, PS384 and PS512 name
	_ "crypto/sha512"
	"errors"

	"github.com/go-jose/go-jose/v4"
)

// verify checks the token's signature with the keys that may have made it.
//
// The signature is over the encoded segments. go-jose encodes the payload
// again for that, which comes to the same because [parseToken] let only one
// spelling pass.
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

// verifierFor returns what go-jose is to verify with: the key, or our own rule
// for the algorithms where its rule is too wide.
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
