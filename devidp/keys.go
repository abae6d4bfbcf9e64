package devidp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Keys are the keys that tokens are signed with: a current one, the next one,
// which is published long before it is used, so that everybody has it by then,
// and the previous ones, published until the last token they signed has
// expired.
type Keys struct {
	path string // "" if they live in memory only

	rotating sync.Mutex // held while a new set is made and written
	mu       sync.RWMutex
	ring     keyring
}

// keyring is a set of keys. Nobody changes one.
type keyring struct {
	current  *signingKey
	next     *signingKey
	previous []retiredKey
}

type signingKey struct {
	id      string // RFC 7638 thumbprint
	private *rsa.PrivateKey
}

type retiredKey struct {
	id     string
	public *rsa.PublicKey
	until  time.Time
}

const (
	keyBits = 2048
	// keyGrace is how long a previous key stays published: as long as its last
	// tokens live, and a minute for clocks that differ.
	keyGrace = tokenLifetime + time.Minute
	// maxRetired keeps the key set at a size that everybody is willing to fetch.
	maxRetired = 16
)

var errRotatedTooOften = errors.New("the keys were rotated too often; the previous ones must stay until their tokens have expired")

// OpenKeys reads the keys from a file, or makes them and the file. The path ""
// means keys that live as long as the process.
func OpenKeys(path string) (*Keys, error) {
	if path != "" {
		ring, err := readKeyFile(path)
		if err == nil {
			return &Keys{path: path, ring: ring}, nil
		}
		if !errors.Is(err, errNoKeyFile) {
			return nil, err
		}
	}
	ring, err := newKeyring()
	if err != nil {
		return nil, err
	}
	if path != "" {
		if err := writeKeyFile(path, ring); err != nil {
			return nil, err
		}
	}
	return &Keys{path: path, ring: ring}, nil
}

// newKeyring makes two keys at once: it takes a noticeable while.
func newKeyring() (keyring, error) {
	var ring keyring
	var group errgroup.Group
	for _, into := range []**signingKey{&ring.current, &ring.next} {
		group.Go(func() (err error) { *into, err = newSigningKey(); return err })
	}
	return ring, group.Wait()
}

func newSigningKey() (*signingKey, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return &signingKey{id: thumbprint(&private.PublicKey), private: private}, nil
}

// rotate makes the next key the current one and publishes a new next one. If
// that cannot be written down, nothing changes.
func (k *Keys) rotate(now time.Time) error {
	k.rotating.Lock()
	defer k.rotating.Unlock()
	old := k.snapshot()
	previous := slices.DeleteFunc(slices.Clone(old.previous), func(r retiredKey) bool { return !now.Before(r.until) })
	if len(previous) >= maxRetired {
		return errRotatedTooOften
	}
	next, err := newSigningKey()
	if err != nil {
		return err
	}
	retired := retiredKey{id: old.current.id, public: &old.current.private.PublicKey, until: now.Add(keyGrace)}
	ring := keyring{current: old.next, next: next, previous: append(previous, retired)}
	if k.path != "" {
		if err := writeKeyFile(k.path, ring); err != nil {
			return err
		}
	}
	k.mu.Lock()
	k.ring = ring
	k.mu.Unlock()
	return nil
}

func (k *Keys) snapshot() keyring {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.ring
}

// published returns the keys that tokens may be signed with now or soon.
func (r keyring) published(now time.Time) []retiredKey {
	keys := []retiredKey{
		{id: r.current.id, public: &r.current.private.PublicKey},
		{id: r.next.id, public: &r.next.private.PublicKey},
	}
	for _, old := range r.previous {
		if now.Before(old.until) {
			keys = append(keys, old)
		}
	}
	return keys
}

// jwk is a public key as RFC 7517 writes it.
type jwk struct {
	Kty string `json:"kty"`
	Kid string `json:"kid"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	N   string `json:"n"`
	E   string `json:"e"`
}

func (k retiredKey) jwk() jwk {
	n, e := encodedKey(k.public)
	return jwk{Kty: "RSA", Kid: k.id, Use: "sig", Alg: "RS256", N: n, E: e}
}

// thumbprint names a key by what it is (RFC 7638): the members that make it
// up, in alphabetical order, hashed.
func thumbprint(public *rsa.PublicKey) string {
	n, e := encodedKey(public)
	sum := sha256.Sum256([]byte(`{"e":"` + e + `","kty":"RSA","n":"` + n + `"}`)) // base64url needs no escapes
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func encodedKey(public *rsa.PublicKey) (string, string) {
	encode := base64.RawURLEncoding.EncodeToString
	return encode(public.N.Bytes()), encode(big.NewInt(int64(public.E)).Bytes())
}
