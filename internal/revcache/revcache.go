// Package revcache is a cache that is never stale: a value that was read from a store
// is kept until something changes that it depends on. Start reading at [Cache];
// [Journal] numbers the states of the store and knows what has changed since which.
package revcache

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// Cache holds values that were read from a store. It is never stale if callers
// keep this order: learn the store's revision, look here with it, and read from
// the store what is not here. A value of Get is then given only to callers who have
// just learned of a state up to which nothing has changed that the value depends
// on, counted from a state that was learned before the value was read.
//
// The zero value is ready. It must not be copied after its first use.
type Cache[K comparable, V any] struct {
	// Max is what the costs of all values may add up to; 0 stands for
	// DefaultMax. Before a value that does not fit is added, all are dropped:
	// that is rare, and simpler than knowing which are useful.
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
	good     atomic.Uint64 // the newest state at which it is known to be good
}

// DefaultMax is the bound of a Cache that names none.
const DefaultMax = 4096

// find returns the entry of a key in the store of a revision, good or not.
func (c *Cache[K, V]) find(at Revision, key K) *entry[V] {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if e := c.values[key]; e != nil && e.journal == at.journal {
		return e
	}
	return nil
}

// Get returns the value of a key to a caller who has just learned the revision.
func (c *Cache[K, V]) Get(at Revision, key K) (value V, ok bool) {
	e := c.find(at, key)
	if e == nil {
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

// Has reports whether there is a value that was good at the newest state that this
// process has learned of. It is a guess: there may be a newer one.
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

// Put keeps a value that was read after the revision had been learned, until one
// of the subjects that it depends on changes, or everything.
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

// GetChanged returns a value that Get does not return because some of its subjects
// have changed, and which these are. What else the value shows is still good.
func (c *Cache[K, V]) GetChanged(at Revision, key K) (value V, changed []string, ok bool) {
	e := c.find(at, key)
	if e == nil {
		return value, nil, false
	}
	if changed, ok = e.journal.changed(e.good.Load(), e.subjects); !ok {
		c.drop(key, e)
		return value, nil, false
	}
	return e.value, changed, true
}

// Last returns the value that was put last, whatever has changed since: for callers
// who can find out what it lacks, and put it again when they have corrected it.
func (c *Cache[K, V]) Last(at Revision, key K) (value V, ok bool) {
	e := c.find(at, key)
	if e == nil {
		return value, false
	}
	return e.value, true
}

// drop forgets a value, unless there is another one by now.
func (c *Cache[K, V]) drop(key K, e *entry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values[key] == e {
		c.remove(key)
	}
}

func (c *Cache[K, V]) remove(key K) {
	if old := c.values[key]; old != nil {
		c.cost -= old.cost
		delete(c.values, key)
	}
}

// Cost is what the costs of all values add up to.
func (c *Cache[K, V]) Cost() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cost
}
