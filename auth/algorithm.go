package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"

	"github.com/go-jose/go-jose/v4"
)

// algorithm is the name of a signature algorithm, as in a token's alg.
type algorithm jose.SignatureAlgorithm

// The allow-list, with the keys that an algorithm works with. There is no
// symmetric algorithm on it: a public key must never serve as a secret.
var algorithms = map[algorithm]func(public any) bool{
	"RS256": is[*rsa.PublicKey], "RS384": is[*rsa.PublicKey], "RS512": is[*rsa.PublicKey],
	"PS256": is[*rsa.PublicKey], "PS384": is[*rsa.PublicKey], "PS512": is[*rsa.PublicKey],
	"ES256": isOn(elliptic.P256()),
	"ES384": isOn(elliptic.P384()),
	"ES512": isOn(elliptic.P521()),
	"EdDSA": is[ed25519.PublicKey],
}

func (a algorithm) allowed() bool { return algorithms[a] != nil }

// worksWith reports whether public is a key of the kind that a needs.
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
