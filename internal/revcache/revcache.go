// Package revcache keeps what was read from a store for as long as nothing in
// the store has changed.
package revcache

import "sync"

// Cache holds values that were read while a store was at one revision. It is
// never stale if callers keep this order: learn the store's revision, look here
// with it, and read from the store what is not here. A value is then given only
// to callers who have just learned the very revision under which it was put,
// and that revision was learned before the value was read. Revisions need no
// order for that.
//
// The zero value is ready. It must not be copied after its first use.
type Cache[R, K comparable, V any] struct {
	// Max is what the costs of all values may add up to; 0 stands for
	// DefaultMax. Before a value that does not fit is added, all are dropped:
	// that is rare, and simpler than knowing which are useful.
	Max int

	mu       sync.RWMutex
	revision R
	values   map[K]V
	cost     int
}

// DefaultMax is the bound of a Cache that names none.
const DefaultMax = 4096

// Get returns the value of a key at a revision that the caller has just learned.
func (c *Cache[R, K, V]) Get(revision R, key K) (value V, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.revision != revision {
		return value, false
	}
	value, ok = c.values[key]
	return value, ok
}

// Put keeps a value that was read after the revision had been learned. Values of
// other revisions are dropped.
func (c *Cache[R, K, V]) Put(revision R, key K, value V, cost int) {
	most := c.Max
	if most == 0 {
		most = DefaultMax
	}
	if cost > most {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || c.revision != revision || c.cost+cost > most {
		c.revision, c.values, c.cost = revision, make(map[K]V), 0
	}
	if _, known := c.values[key]; !known {
		c.cost += cost
	}
	c.values[key] = value
}

// Cost is what the costs of all values add up to.
func (c *Cache[R, K, V]) Cost() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cost
}
