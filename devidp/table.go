package devidp

import (
	"container/list"
	"time"
)

// table is a map whose entries expire and whose number is bounded. When it is
// full, the oldest entry is removed. All entries live equally long, so their
// order of age is also that of expiry. It has no lock: state has one for all.
type table[V any] struct {
	lifetime time.Duration
	limit    int
	gone     func(V) // called with each entry that is removed or expires; may be nil
	entries  map[string]*list.Element
	order    *list.List // of *row[V], oldest first
}

type row[V any] struct {
	key     string
	value   V
	expires time.Time
}

func newTable[V any](lifetime time.Duration, limit int, gone func(V)) *table[V] {
	return &table[V]{
		lifetime: lifetime, limit: limit, gone: gone,
		entries: map[string]*list.Element{}, order: list.New(),
	}
}

func (t *table[V]) put(key string, value V, now time.Time) {
	t.drop(key)
	t.sweep(now)
	for len(t.entries) >= t.limit {
		t.drop(t.oldest().key)
	}
	t.entries[key] = t.order.PushBack(&row[V]{key, value, now.Add(t.lifetime)})
}

func (t *table[V]) get(key string, now time.Time) (V, bool) {
	if element, ok := t.entries[key]; ok {
		if r := element.Value.(*row[V]); now.Before(r.expires) {
			return r.value, true
		}
		t.drop(key)
	}
	var none V
	return none, false
}

// touch begins the lifetime of an entry anew.
func (t *table[V]) touch(key string, now time.Time) {
	if element, ok := t.entries[key]; ok {
		element.Value.(*row[V]).expires = now.Add(t.lifetime)
		t.order.MoveToBack(element)
	}
}

func (t *table[V]) drop(key string) {
	element, ok := t.entries[key]
	if !ok {
		return
	}
	r := t.order.Remove(element).(*row[V])
	delete(t.entries, key)
	if t.gone != nil {
		t.gone(r.value)
	}
}

func (t *table[V]) sweep(now time.Time) {
	for t.order.Len() > 0 && !now.Before(t.oldest().expires) {
		t.drop(t.oldest().key)
	}
}

func (t *table[V]) oldest() *row[V] { return t.order.Front().Value.(*row[V]) }
