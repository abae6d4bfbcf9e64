package testidp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"strconv"
	"sync"
	"testing"
)

// keyPair has the two published keys of a provider.
type keyPair struct {
	generation int
	rsa        *rsa.PrivateKey
	ec         *ecdsa.PrivateKey
}

// forger is the generation of unpublished keys.
const forger = -1

// made has the keys of this process, by generation. Making an RSA key takes a
// good part of a second, so all providers share them.
var made struct {
	sync.Mutex
	pairs map[int]keyPair
}

func newKeyPair(t testing.TB, generation int) keyPair {
	t.Helper()
	made.Lock()
	defer made.Unlock()
	if pair, ok := made.pairs[generation]; ok {
		return pair
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatalf("testidp: %v", err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("testidp: %v", err)
	}
	if made.pairs == nil {
		made.pairs = map[int]keyPair{}
	}
	pair := keyPair{generation: generation, rsa: r, ec: e}
	made.pairs[generation] = pair
	return pair
}

func (k keyPair) rsaID() string { return "rsa-" + strconv.Itoa(k.generation) }
func (k keyPair) ecID() string  { return "ec-" + strconv.Itoa(k.generation) }

// jwks returns the public halves of the keys, for a key set.
func (k keyPair) jwks() []map[string]string {
	coordinates, err := k.ec.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // a key of this package
	}
	return []map[string]string{
		{
			"kty": "RSA", "kid": k.rsaID(), "use": "sig", "alg": "RS256",
			"n": encode(k.rsa.N.Bytes()),
			"e": encode(big.NewInt(int64(k.rsa.E)).Bytes()),
		},
		{
			"kty": "EC", "kid": k.ecID(), "use": "sig", "alg": "ES256", "crv": "P-256",
			"x": encode(coordinates[1:33]),
			"y": encode(coordinates[33:]),
		},
	}
}

// PublicKey returns the key to verify RSA signatures of tokens, for programs that cannot fetch it.
func (p *Provider) PublicKey() *rsa.PublicKey { return &p.current().rsa.PublicKey }
