// Package revcache is a cache without stale values: it keeps a value of a store until one of its subjects changes.
// Start reading at [Cache]; [Journal] numbers the states of the store and remembers the changes between them.
package revcache

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// Cache holds values of a store. It is never stale if callers keep this order: learn the store's revision, look here
// with it, and read a missing value from the store. Get then returns a value only to callers with a state up to which
// its subjects are unchanged, counted from a state before the value was read.
//
// The zero value is ready. It must not be copied after its first use.
type Cache[K comparable, V any] struct {
	// Max bounds the sum of all costs; 0 stands for DefaultMax. Before a value above it is added, all others are
	// dropped: this is rare, and simpler than a search for useful values.
	Max int

	mu     sync.RWMutex
	values map[K]*entry[V]
	cost   int
}

type entry[V any] struct {
	value    V
	cost     int
	journal  *Journal
	subjects []string
	good     atomic.Uint64 // the newest state with this value
}

// DefaultMax is the bound of a Cache without a Max.
const DefaultMax = 4096

// Get returns the value of a key to a caller with a fresh revision.
func (c *Cache[K, V]) Get(at Revision, key K) (value V, ok bool) {
	c.mu.RLock()
	e := c.values[key]
	c.mu.RUnlock()
	if e == nil || e.journal != at.journal {
		return value, false
	}
	since := e.good.Load()
	until, ok := e.journal.unchanged(since, e.subjects)
	if !ok {
		return value, false
	}
	if until != since {
		e.good.CompareAndSwap(since, until) // somebody else may have come further
	}
	return e.value, true
}

// Has reports whether there is a value for the newest state known to this process. It is
// a guess: there may be a newer state.
func (c *Cache[K, V]) Has(key K) bool {
	c.mu.RLock()
	e := c.values[key]
	c.mu.RUnlock()
	if e == nil {
		return false
	}
	_, ok := e.journal.unchanged(e.good.Load(), e.subjects)
	return ok
}

// Put keeps a value read after the revision was learned, until one of its subjects changes, or everything.
func (c *Cache[K, V]) Put(at Revision, key K, value V, cost int, subjects ...string) {
	most := cmp.Or(c.Max, DefaultMax)
	if cost > most || at.journal == nil {
		return
	}
	e := &entry[V]{value: value, cost: cost, journal: at.journal, subjects: subjects}
	e.good.Store(at.number)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
	if c.values == nil || c.cost+cost > most {
		c.values, c.cost = make(map[K]*entry[V]), 0
	}
	c.values[key] = e
	c.cost += cost
}

func (c *Cache[K, V]) remove(key K) {
	if old := c.values[key]; old != nil {
		c.cost -= old.cost
		delete(c.values, key)
	}
}

// Cost returns the sum of all costs.
func (c *Cache[K, V]) Cost() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cost
}
