package devidp

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/errgroup"
)

// Keys are the signing keys of tokens: a current one; the next one, published long before its use
// so that everybody has it by then; and the previous ones, published until their last token has
// expired.
type Keys struct {
	path string // "" if they live in memory only

	rotating sync.Mutex // held while a new set is made and written
	mu       sync.RWMutex
	ring     keyring
}

// keyring is a set of keys, and the content of the key file. Nobody changes one.
type keyring struct {
	Current  jose.JSONWebKey `json:"current"`
	Next     jose.JSONWebKey `json:"next"`
	Previous []retiredKey    `json:"previous,omitempty"`
}

// retiredKey is the public half of a previous key: it will never sign again.
type retiredKey struct {
	Public jose.JSONWebKey `json:"public"`
	Until  time.Time       `json:"until"`
}

const (
	keyBits = 2048
	// keyGrace is how long a previous key stays published: as long as its last tokens live, and a
	// minute for clocks that differ.
	keyGrace = tokenLifetime + time.Minute
	// maxRetired keeps the key set at a size that everybody is willing to fetch.
	maxRetired = 16
)

var errRotatedTooOften = errors.New("the keys were rotated too often; the previous ones must stay until their tokens have expired")

// OpenKeys reads the keys from a file, or makes them and the file. With the path "" the keys live
// as long as the process.
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
	for _, into := range []*jose.JSONWebKey{&ring.Current, &ring.Next} {
		group.Go(func() (err error) { *into, err = newSigningKey(); return err })
	}
	return ring, group.Wait()
}

// newSigningKey makes a key named by its content (RFC 7638).
func newSigningKey() (jose.JSONWebKey, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return jose.JSONWebKey{}, fmt.Errorf("making a key: %w", err)
	}
	key := jose.JSONWebKey{Key: private, Use: "sig", Algorithm: string(jose.RS256)}
	digest, err := key.Thumbprint(crypto.SHA256)
	key.KeyID = encodeSegment(digest)
	return key, err
}

// rotate makes the next key the current one and publishes a new next one. If writing the file
// fails, nothing changes.
func (k *Keys) rotate(now time.Time) error {
	k.rotating.Lock()
	defer k.rotating.Unlock()
	old := k.snapshot()
	previous := slices.DeleteFunc(slices.Clone(old.Previous), func(r retiredKey) bool { return !now.Before(r.Until) })
	if len(previous) >= maxRetired {
		return errRotatedTooOften
	}
	next, err := newSigningKey()
	if err != nil {
		return err
	}
	ring := keyring{Current: old.Next, Next: next, Previous: append(previous, retiredKey{old.Current.Public(), now.Add(keyGrace)})}
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

// published returns the public keys of tokens signed now or soon.
func (r keyring) published(now time.Time) jose.JSONWebKeySet {
	keys := []jose.JSONWebKey{r.Current.Public(), r.Next.Public()}
	for _, old := range r.Previous {
		if now.Before(old.Until) {
			keys = append(keys, old.Public)
		}
	}
	return jose.JSONWebKeySet{Keys: keys}
}

// maxTokenSize is far beyond the tokens of the provider.
const maxTokenSize = 16 << 10

var errNotOurs = errors.New("not a token of this provider")

// sign makes a JWT of the claims, signed with the current key.
func (k *Keys) sign(claims any) (string, error) { return k.signTyped("JWT", claims) }

// signTyped makes a JWT with another type in its header.
func (k *Keys) signTyped(typ jose.ContentType, claims any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: k.snapshot().Current}, (&jose.SignerOptions{}).WithType(typ))
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// verify reads the claims of a token signed with a published key. Expiry, issuer and kind of token
// are left to the caller.
func (k *Keys) verify(token string, now time.Time, claims any) error {
	if len(token) > maxTokenSize || strings.ContainsAny(token, "\r\n") { // go-jose skips line breaks
		return errNotOurs
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return errNotOurs
	}
	payload, err := signed.Verify(k.snapshot().published(now))
	if err != nil || json.Unmarshal(payload, claims) != nil {
		return errNotOurs
	}
	return nil
}

func encodeSegment(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
