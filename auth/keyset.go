package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// KeySetConfig says where the keys of an identity provider are.
type KeySetConfig struct {
	Issuer string           // what the discovery document must call itself
	URL    string           // of the key set; "" is the jwks_uri of the discovery document
	Client *http.Client     // nil is one of its own
	Logger *slog.Logger     // nil is slog.Default()
	Now    func() time.Time // nil is time.Now
}

// KeySet holds the current keys of an identity provider. Run keeps them
// current; the zero value is not usable.
type KeySet struct {
	log        *slog.Logger
	now        func() time.Time
	fetch      *fetcher
	complained digest // the last document whose bad keys were logged; for the flight only

	snapshot          atomic.Pointer[snapshot] // nil until a fetch succeeded
	fetches, failures atomic.Uint64

	mu        sync.Mutex // for what follows; readers of the snapshot do not need it
	flight    *flight    // the fetch under way, if any
	lastError error      // of the last fetch that ended
	lastAsked time.Time  // when an unknown kid last started a fetch
}

// snapshot is a fetched key set. A fetch of the same bytes makes a new snapshot of the same ring.
type snapshot struct {
	ring    *ring
	digest  digest // of the document
	fetched time.Time
}

// maxAge is how long the last good set counts when no newer one can be had.
const maxAge = 24 * time.Hour

// NewKeySet returns a key set, empty until Run has fetched one.
func NewKeySet(cfg KeySetConfig) *KeySet {
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &KeySet{log: cfg.Logger, now: cfg.Now, fetch: newFetcher(cfg)}
}

// current returns the current keys, or nil. It takes no lock.
func (k *KeySet) current(now time.Time) *ring {
	s := k.snapshot.Load()
	if s == nil || now.Sub(s.fetched) >= maxAge {
		return nil
	}
	return s.ring
}

// find returns the keys for verifying a token. It may wait for a fetch under way, or start one for
// an unknown kid.
func (k *KeySet) find(ctx context.Context, h header) (*ring, *Error) {
	if keys := k.current(k.now()); keys != nil && keys.knows(h) {
		return keys, nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if k.current(k.now()) == nil {
		if refusal := k.await(ctx, k.first()); refusal != nil {
			return nil, refusal
		}
	}
	if k.current(k.now()) == nil {
		return nil, errNoKeys(longestPause)
	}
	return k.findNew(ctx, h)
}

// findNew looks for a key missing in the set a moment ago. The fetch it joins may have begun
// before the key was published, hence the second round; ask keeps to the limit all the same.
func (k *KeySet) findNew(ctx context.Context, h header) (*ring, *Error) {
	for range 2 {
		f := k.ask(h)
		if f == nil {
			break
		}
		if refusal := k.await(ctx, f); refusal != nil {
			return nil, refusal
		}
	}
	if keys := k.current(k.now()); keys != nil && keys.knows(h) {
		return keys, nil
	}
	if wait, failed := k.lastFailed(); failed {
		return nil, errNoKeys(wait)
	}
	return nil, errUnknownKey
}

// await waits for the end of f, if there is one, no longer than ctx lasts.
func (k *KeySet) await(ctx context.Context, f *flight) *Error {
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return errNoKeys(longestPause)
	}
}

// Ready returns nil if tokens can be verified, and the reason otherwise.
func (k *KeySet) Ready() error {
	s := k.snapshot.Load()
	if s != nil && k.now().Sub(s.fetched) < maxAge {
		return nil
	}
	k.mu.Lock()
	last := k.lastError
	k.mu.Unlock()
	problem := "no key set was obtained yet"
	if s != nil {
		problem = "the key set is older than 24 hours"
	}
	if last == nil {
		return errors.New(problem)
	}
	return fmt.Errorf("%s: %w", problem, last)
}

// Stats are figures for monitoring.
type Stats struct {
	Age      time.Duration // of the set in use, -1 if there is none
	Fetches  uint64        // begun
	Failures uint64        // fetches that brought nothing usable
	Keys     int           // in use
}

// Stats returns the figures of this moment. It takes no lock.
func (k *KeySet) Stats() Stats {
	stats := Stats{Age: -1, Fetches: k.fetches.Load(), Failures: k.failures.Load()}
	if s := k.snapshot.Load(); s != nil {
		stats.Age = k.now().Sub(s.fetched)
		stats.Keys = len(s.ring.keys)
	}
	return stats
}
