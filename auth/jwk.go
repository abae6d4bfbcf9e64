package auth

import (
	"crypto/rsa"
	"encoding/json"
	"math/big"

	"github.com/go-jose/go-jose/v4"
)

// Bounds on RSA keys. The largest is far beyond what anybody uses; it keeps a
// strange key from making each verification slow.
const (
	minRSABits     = 2048
	maxRSABits     = 16384
	minRSAExponent = 3
)

// publicKey makes a key of the members of a JWK. It looks at the members that
// make up the key and at no other: a certificate (x5c) beside them is not
// trusted for anything, so it need not be readable either.
func publicKey(m members) (any, error) {
	kty, _ := m.text("kty")
	switch kty {
	case "RSA":
		return rsaKey(m)
	case "EC":
		return curveKey(m, "kty", "crv", "x", "y")
	case "OKP":
		return curveKey(m, "kty", "crv", "x")
	case "oct":
		return nil, errKeySecret
	}
	return nil, errKeyKind
}

// rsaKey is ours because go-jose takes RSA keys of any weakness and cuts off
// what of the exponent does not fit into an int.
func rsaKey(m members) (*rsa.PublicKey, error) {
	n, ok1 := m.number("n")
	e, ok2 := m.number("e")
	if !ok1 || !ok2 {
		return nil, errKeyUnreadable
	}
	if n.BitLen() < minRSABits || n.BitLen() > maxRSABits || n.Bit(0) == 0 {
		return nil, errKeyWeak
	}
	// crypto/rsa takes no exponent of more than 31 bits.
	if e.BitLen() > 31 || e.Int64() < minRSAExponent || e.Bit(0) == 0 {
		return nil, errKeyWeak
	}
	if hasROCA(n) {
		return nil, errKeyWeak
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
}

// curveKey lets go-jose read a key on a curve. It checks that the coordinates
// have their full length, that the point is on the curve, and that an Ed25519
// key is not of low order.
func curveKey(m members, names ...string) (any, error) {
	bare := map[string]json.RawMessage{}
	for _, name := range names {
		value, ok := m.text(name)
		if !ok {
			return nil, errKeyUnreadable
		}
		if _, err := decodeBase64(value); err != nil && len(name) == 1 {
			return nil, errKeyUnreadable
		}
		bare[name] = m[name]
	}
	data, err := json.Marshal(bare)
	if err != nil {
		return nil, errKeyUnreadable
	}
	var k jose.JSONWebKey
	if err := k.UnmarshalJSON(data); err != nil || !k.IsPublic() {
		return nil, errKeyUnreadable
	}
	return k.Key, nil
}

// number returns the member if it is an unsigned number in base64url.
func (m members) number(name string) (*big.Int, bool) {
	encoded, ok := m.text(name)
	if !ok {
		return nil, false
	}
	data, err := decodeBase64(encoded)
	if err != nil || len(data) == 0 {
		return nil, false
	}
	return new(big.Int).SetBytes(data), true
}
