package auth

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"math/big"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

// Bounds on the cost of a key set.
const (
	maxKeys       = 100 // keys taken from a set
	maxCandidates = 16  // keys tried on one token
)

// key is a public key for verifying tokens.
type key struct {
	kid       string
	algorithm algorithm // the only one it is for, "" if any that fits
	public    any       // *rsa.PublicKey, *ecdsa.PublicKey or ed25519.PublicKey
}

func (k *key) fits(a algorithm) bool {
	return (k.algorithm == "" || k.algorithm == a) && a.worksWith(k.public)
}

// ring is an immutable set of keys.
type ring struct {
	keys  []*key
	byKid map[string][]*key
}

func newRing(keys []*key) *ring {
	r := &ring{keys: keys, byKid: map[string][]*key{}}
	for _, k := range keys {
		r.byKid[k.kid] = append(r.byKid[k.kid], k)
	}
	return r
}

// knows reports whether a newer set would bring nothing: the set has the kid, or the token names
// none.
func (r *ring) knows(h header) bool { return !h.hasKid || len(r.byKid[h.kid]) > 0 }

// candidates returns the possible signing keys of a token with the header.
func (r *ring) candidates(h header) []*key {
	keys := r.keys
	if h.hasKid {
		keys = r.byKid[h.kid]
	}
	var fitting []*key
	for _, k := range keys {
		if k.fits(h.algorithm) && len(fitting) < maxCandidates {
			fitting = append(fitting, k)
		}
	}
	return fitting
}

// passedOver is an unused key of a set, with the reason.
type passedOver struct {
	kid    string
	reason error
}

// Why a key is not used.
var (
	errKeyUnreadable = errors.New("the key cannot be read")
	errKeySecret     = errors.New("the key is symmetric or private")
	errKeyPurpose    = errors.New("the key is not for verifying signatures")
	errKeyKind       = errors.New("the kind of key is not supported")
	errKeyWeak       = errors.New("the key is weak")
	errKeySurplus    = errors.New("the set has too many keys")
)

// parseJWKS reads a JSON Web Key Set. Each key stands for itself: a broken or weak one is skipped
// and does not spoil the others.
func parseJWKS(data []byte) (*ring, []passedOver, error) {
	// Not strictjson: it would refuse the set for an error inside one key.
	var set map[string]json.RawMessage
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, nil, errors.New("the key set is not a JSON object")
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(set["keys"], &entries); err != nil || entries == nil {
		return nil, nil, errors.New("the key set has no array of keys")
	}
	var keys []*key
	var rest []passedOver
	for _, entry := range entries {
		k, err := parseJWK(entry)
		if err == nil && len(keys) == maxKeys {
			err = errKeySurplus
		}
		if err != nil {
			rest = append(rest, passedOver{kid: kidOf(entry), reason: err})
			continue
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, rest, errors.New("the key set has no usable key")
	}
	return newRing(keys), rest, nil
}

// kidOf finds a name for the log, in an entry of any JSON.
func kidOf(entry json.RawMessage) string {
	var m members
	_ = json.Unmarshal(entry, &m)
	kid, _ := m.text("kid")
	return clip(kid)
}

// secretMembers are members of symmetric and private keys alone.
var secretMembers = []string{"k", "d", "p", "q", "dp", "dq", "qi", "oth"}

func parseJWK(entry json.RawMessage) (*key, error) {
	m, err := parseMembers(entry)
	if err != nil {
		return nil, errKeyUnreadable
	}
	if slices.ContainsFunc(secretMembers, func(name string) bool { return m.has(name) }) {
		return nil, errKeySecret
	}
	if !forVerifying(m) {
		return nil, errKeyPurpose
	}
	kid, ok1 := m.optionalText("kid")
	alg, ok2 := m.optionalText("alg")
	if !ok1 || !ok2 || m.has("alg") && alg == "" {
		return nil, errKeyUnreadable
	}
	public, err := publicKey(m)
	if err != nil {
		return nil, err
	}
	return &key{kid: kid, algorithm: algorithm(alg), public: public}, nil
}

// forVerifying reports whether use and key_ops, where present, let the key
// verify signatures.
func forVerifying(m members) bool {
	if use, ok := m.optionalText("use"); !ok || m.has("use") && use != "sig" {
		return false
	}
	if !m.has("key_ops") {
		return true
	}
	ops, ok := m.texts("key_ops")
	return ok && slices.Contains(ops, "verify")
}

// Bounds on RSA keys. The largest is far beyond any key in use; it keeps a strange key from making
// each verification slow.
const (
	minRSABits     = 2048
	maxRSABits     = 16384
	minRSAExponent = 3
)

// publicKey makes a key of the members of a JWK. It looks only at the members of the key itself: a
// certificate (x5c) beside them is not trusted for anything, so it need not be readable either.
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

// rsaKey is ours because go-jose takes RSA keys of any weakness and cuts off an exponent too large
// for an int.
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

// curveKey lets go-jose read a key on a curve. It requires coordinates of full length, a point on
// the curve, and an Ed25519 key that is not of low order.
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

// hasROCA reports whether n looks like the product of primes of a flawed smart card library
// (CVE-2017-15361, "ROCA"). Such a prime is a power of 65537 modulo each small prime, and so is
// the product of two; the private key can be computed from the public one. One sound key in two
// hundred million looks the same. No provider is known to have such keys today; the check runs
// once for each fetched key, and Project Wycheproof asks for it.
func hasROCA(n *big.Int) bool {
	var remainder big.Int
	for _, p := range smallPrimes {
		if !powerOf65537(remainder.Mod(n, big.NewInt(p)).Int64(), p) {
			return false
		}
	}
	return true
}

// smallPrimes are the primes behind the smallest keys of the flawed library, and hence behind all.
var smallPrimes = []int64{
	3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
	101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
}

// powerOf65537 reports whether x is one of 65537^0, 65537^1, ... modulo p.
func powerOf65537(x, p int64) bool {
	power := int64(1)
	for range p - 1 {
		if power == x {
			return true
		}
		power = power * 65537 % p
	}
	return false
}
