package auth

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"math/rand/v2"
	"time"
)

// When keys are fetched.
const (
	regularPause  = 5 * time.Minute        // after a good fetch
	shortestPause = 500 * time.Millisecond // while there is no set at all: this, doubled each time,
	longestPause  = 5 * time.Second        // up to this
	failurePause  = 10 * time.Second       // after a failed fetch, when there is a set: this to three times this
	askPause      = 10 * time.Second       // between two fetches that unknown kids start
)

// flight is a fetch under way. It belongs to nobody: it goes on after its waiters have left.
type flight struct {
	discover bool // whether to ask the discovery document anew where the keys are
	done     chan struct{}
}

// Run fetches the keys at once and then regularly until ctx ends. It does not wait for a fetch
// under way at the end; such a fetch takes 5 s at most.
func (k *KeySet) Run(ctx context.Context) {
	backoff := shortestPause
	for {
		if k.await(ctx, k.regular()) != nil {
			return
		}
		var pause time.Duration
		switch _, failed := k.lastFailed(); {
		case !failed:
			pause = jitter(regularPause*9/10, regularPause)
		case k.snapshot.Load() == nil:
			pause = jitter(backoff*3/4, backoff)
			backoff = min(2*backoff, longestPause)
		default:
			pause = jitter(failurePause, 3*failurePause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// jitter returns a time in between, so that many services do not ask in step.
func jitter(from, to time.Duration) time.Duration { return from + rand.N(to-from) }

// regular returns the fetch under way, and starts one if there is none.
func (k *KeySet) regular() *flight {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.flight == nil {
		k.start(true)
	}
	return k.flight
}

// first returns the fetch under way, if any. It starts one only before the first attempt: a
// request quicker than Run need not fail.
func (k *KeySet) first() *flight {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.flight == nil && k.fetches.Load() == 0 {
		k.start(true)
	}
	return k.flight
}

// ask returns a fetch for the key of an unknown kid. It is nil if the key has come in the
// meantime, and if the next fetch may not start yet.
func (k *KeySet) ask(h header) *flight {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if keys := k.current(now); keys != nil && keys.knows(h) {
		return nil
	}
	if k.flight == nil && (k.lastAsked.IsZero() || now.Sub(k.lastAsked) >= askPause) {
		k.lastAsked = now
		k.start(false)
	}
	return k.flight
}

// lastFailed reports whether the last fetch failed, and when callers with an unknown key should
// come again.
func (k *KeySet) lastFailed() (time.Duration, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return askPause - k.now().Sub(k.lastAsked), k.lastError != nil
}

// start begins a fetch. The caller holds the lock and has seen no other fetch.
func (k *KeySet) start(discover bool) {
	k.fetches.Add(1)
	k.flight = &flight{discover: discover, done: make(chan struct{})}
	go k.fly(k.flight)
}

// fly carries out a fetch. Its keys are in place before any waiter goes on, and before another
// fetch can start.
func (k *KeySet) fly(f *flight) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	err := k.renew(ctx, f.discover)
	if err != nil {
		k.failures.Add(1)
		k.log.Warn("key set not fetched", "error", err)
	}
	k.mu.Lock()
	k.flight, k.lastError = nil, err
	k.mu.Unlock()
	close(f.done)
}

// renew replaces the snapshot by the provider's present keys. Without a usable key, the snapshot
// stays.
func (k *KeySet) renew(ctx context.Context, discover bool) error {
	document, err := k.fetch.keys(ctx, discover)
	if err != nil {
		return err
	}
	next := &snapshot{digest: sha256.Sum256(document), fetched: k.now()}
	if last := k.snapshot.Load(); last != nil && last.digest == next.digest {
		next.ring = last.ring // so that verified tokens stay remembered
		k.snapshot.Store(next)
		return nil
	}
	keys, rest, err := parseJWKS(document)
	k.complain(next.digest, rest)
	if err != nil {
		k.fetch.forget()
		return err
	}
	next.ring = keys
	k.snapshot.Store(next)
	k.log.Info("key set obtained", "keys", len(keys.keys), "passedOver", len(rest))
	return nil
}

// complain logs the unused keys of a document, once for each document and not without end.
func (k *KeySet) complain(document digest, rest []passedOver) {
	if k.complained == document {
		return
	}
	k.complained = document
	const most = 20
	for _, p := range rest[:min(len(rest), most)] {
		level := slog.LevelWarn
		if p.reason == errKeyPurpose {
			level = slog.LevelDebug // an encryption key is nothing unusual
		}
		k.log.Log(context.Background(), level, "key passed over", "kid", p.kid, "reason", p.reason)
	}
}
