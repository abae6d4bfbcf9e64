package auth

import (
	"sync"
	"time"
)

// proofs are the password checks that were passed a moment ago, as MACs of
// everything that went into them. A changed password file changes the MAC.
type proofs struct {
	now func() time.Time

	mu    sync.Mutex
	until map[digest]time.Time
}

const (
	proofLifetime = time.Minute
	maxProofs     = 1000
)

func newProofs(now func() time.Time) *proofs {
	return &proofs{now: now, until: map[digest]time.Time{}}
}

func (p *proofs) has(d digest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Before(p.until[d])
}

func (p *proofs) add(d digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if len(p.until) >= maxProofs {
		p.makeRoom(now)
	}
	p.until[d] = now.Add(proofLifetime)
}

// makeRoom drops what is out of date, or else any one.
func (p *proofs) makeRoom(now time.Time) {
	for d, until := range p.until {
		if !now.Before(until) {
			delete(p.until, d)
		}
	}
	for d := range p.until {
		if len(p.until) < maxProofs {
			return
		}
		delete(p.until, d)
	}
}
