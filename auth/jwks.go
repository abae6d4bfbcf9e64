package auth

import (
	"encoding/json"
	"errors"
	"slices"
)

// Bounds on what a key set may cost.
const (
	maxKeys       = 100 // keys taken from a set
	maxCandidates = 16  // keys tried on one token
)

// key is a public key that may verify tokens.
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

// knows reports whether there is nothing to gain from a newer set: the set has
// a key of that kid, or the token names none.
func (r *ring) knows(h header) bool { return !h.hasKid || len(r.byKid[h.kid]) > 0 }

// candidates returns the keys that may have signed a token with that header.
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

// passedOver is a key of a set that is not used, and why.
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

// parseJWKS reads a JSON Web Key Set. Each key stands for itself: one that is
// broken or weak is passed over and does not spoil the others.
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

// kidOf finds a name for the log, for an entry that may be any JSON.
func kidOf(entry json.RawMessage) string {
	var m members
	_ = json.Unmarshal(entry, &m)
	kid, _ := m.text("kid")
	return clip(kid)
}

// secretMembers are the members that only a symmetric or private key has.
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
