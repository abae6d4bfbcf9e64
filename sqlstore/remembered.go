package sqlstore

import (
	"sync"

	"example.org/library"
)

// remembered keeps answers for as long as the revision of the store stays what
// it was before they were read. To be never stale, learn the revision first,
// then look here, then ask the database.
//
// There is no order among revisions and none is needed: an answer is given only
// to a caller who has learned the very revision it is kept under.
type remembered[T any] struct {
	mu sync.Mutex
	at library.Revision
	m  map[string]T
}

// The bounds of what is kept. When there are too many answers, all are
// forgotten: that is rare, and simpler than knowing which are useful.
const (
	maxRemembered = 4096
	maxKey        = 2048 // bytes; longer questions are not asked twice
)

func (r *remembered[T]) get(at library.Revision, key string) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at != at {
		var none T
		return none, false
	}
	answer, ok := r.m[key]
	return answer, ok
}

// last is the newest answer there is, at whatever revision: good for a guess.
func (r *remembered[T]) last(key string) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, ok := r.m[key]
	return answer, ok
}

func (r *remembered[T]) put(at library.Revision, key string, answer T) {
	if len(key) > maxKey {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil || r.at != at || len(r.m) >= maxRemembered {
		r.at, r.m = at, make(map[string]T)
	}
	r.m[key] = answer
}
