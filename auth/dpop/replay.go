package dpop

import (
	"crypto/sha256"
	"sync"
	"time"
)

// maxRemembered is how many proofs each of the two halves of the memory holds: about
// 10 MB if both are full. Two thousand requests a second, for two minutes, fit.
const maxRemembered = 250_000

// replays are the recently used proofs, in two halves: the younger one takes new proofs, and
// replaces the older one when it is full or the older proofs have expired. If more proofs come
// than there is room for, the oldest are forgotten early: nobody is locked out by a flood.
type replays struct {
	most int

	mu             sync.Mutex
	younger, older map[used]struct{}
	began          time.Time // of the younger half
}

// used stands for one identifier of one key, so callers cannot use up the identifiers of others.
type used [16]byte

func newReplays(most int) *replays {
	return &replays{most: most, younger: map[used]struct{}{}}
}

// isNew reports whether the jti is new for the key, and stores it.
func (m *replays) isNew(thumbprint, jti string, now time.Time) bool {
	sum := sha256.Sum256([]byte(thumbprint + "." + jti))
	id := used(sum[:len(used{})])
	m.mu.Lock()
	defer m.mu.Unlock()
	// A proof from the future is good for twice the window.
	if now.Sub(m.began) >= 2*window || len(m.younger) >= m.most {
		m.older, m.younger, m.began = m.younger, map[used]struct{}{}, now
	}
	_, seen1 := m.younger[id]
	_, seen2 := m.older[id]
	m.younger[id] = struct{}{}
	return !seen1 && !seen2
}
