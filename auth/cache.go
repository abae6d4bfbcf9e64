package auth

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// cache remembers verified tokens by their hash. It is a table of buckets of a
// few slots each, so its size is fixed, and every slot is an atomic pointer, so
// neither reading nor writing takes a lock.
type cache struct {
	ring    *ring // the keys that everything in here was verified with
	buckets [][bucketSize]atomic.Pointer[verified]
}

const (
	bucketSize       = 8
	defaultCacheSize = 10_000
)

type digest = [sha256.Size]byte

// verified is the outcome for one token: an identity, or, if the provider was asked
// for it, a refusal.
type verified struct {
	digest   digest
	identity *Identity
	refusal  *Error
	expires  time.Time
}

// isGood reports whether there is an outcome, and the token may be used.
func (v *verified) isGood(b *Bearer) bool {
	return v != nil && v.refusal == nil && b.stillValid(v.identity) == nil
}

// newCache returns a cache for at most size tokens, or for one bucket of them.
func newCache(r *ring, size int) *cache {
	return &cache{ring: r, buckets: make([][bucketSize]atomic.Pointer[verified], max(size/bucketSize, 1))}
}

func (c *cache) bucket(d digest) *[bucketSize]atomic.Pointer[verified] {
	return &c.buckets[binary.LittleEndian.Uint64(d[:])%uint64(len(c.buckets))]
}

// get returns the outcome for a known and unexpired token, or nil.
func (c *cache) get(d digest, now time.Time) *verified {
	bucket := c.bucket(d)
	for i := range bucket {
		if v := bucket[i].Load(); v != nil && v.digest == d && now.Before(v.expires) {
			return v
		}
	}
	return nil
}

// put remembers a token, in place of itself, of an expired one or of any.
// Two puts at once may choose the same slot; then one token is forgotten.
func (c *cache) put(v *verified, now time.Time) {
	bucket := c.bucket(v.digest)
	slot := rand.IntN(bucketSize)
	for i := range bucket {
		old := bucket[i].Load()
		if old != nil && old.digest == v.digest {
			slot = i
			break
		}
		if old == nil || !now.Before(old.expires) {
			slot = i
		}
	}
	bucket[slot].Store(v)
}
