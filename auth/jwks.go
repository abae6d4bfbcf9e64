package auth

import (
	"encoding/json"
	"errors"
	"slices"

	"example.org/library/internal/strictjson"
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
func (r *ring) knows(h header) bool {
	return !h.hasKid || len(r.byKid[h.kid]) > 0
}

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
	// Not strictjson: it would refuse the set for a fault inside one key.
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
	var members map[string]json.RawMessage
	_ = json.Unmarshal(entry, &members)
	kid, _ := stringMember(members, "kid")
	return clip(kid)
}

// secretMembers are the members that only a symmetric or private key has.
var secretMembers = []string{"k", "d", "p", "q", "dp", "dq", "qi", "oth"}

func parseJWK(entry json.RawMessage) (*key, error) {
	members, err := strictjson.Object(entry)
	if err != nil {
		return nil, errKeyUnreadable
	}
	if slices.ContainsFunc(secretMembers, func(name string) bool { return has(members, name) }) {
		return nil, errKeySecret
	}
	if !forVerifying(members) {
		return nil, errKeyPurpose
	}
	kid, ok1 := optionalString(members, "kid")
	alg, ok2 := optionalString(members, "alg")
	if !ok1 || !ok2 || has(members, "alg") && alg == "" {
		return nil, errKeyUnreadable
	}
	public, err := publicKey(members)
	if err != nil {
		return nil, err
	}
	return &key{kid: kid, algorithm: algorithm(alg), public: public}, nil
}

// optionalString returns the member, and whether it is a string or absent.
func optionalString(members map[string]json.RawMessage, name string) (string, bool) {
	if !has(members, name) {
		return "", true
	}
	return stringMember(members, name)
}

// forVerifying reports whether use and key_ops, where present, let the key
// verify signatures.
func forVerifying(members map[string]json.RawMessage) bool {
	if use, ok := optionalString(members, "use"); !ok || has(members, "use") && use != "sig" {
		return false
	}
	if !has(members, "key_ops") {
		return true
	}
	ops, ok := stringsValue(members["key_ops"])
	return ok && slices.Contains(ops, "verify")
}
