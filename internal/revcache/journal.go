package revcache

import (
	"sync"
	"sync/atomic"
)

// Journal numbers the states of a store as one process learns of them, and remembers
// the changes between them. The zero value is ready.
type Journal struct {
	now atomic.Uint64 // the newest state

	mu    sync.RWMutex
	floor uint64            // everything may have changed since any state before this one
	last  map[string]uint64 // when a subject has changed last, if after the floor
}

// maxSubjects bounds what a Journal remembers. When it is full, values without
// a look since the state before are given up.
const maxSubjects = 16 << 10

// Anything is a subject: it changes with every other.
const Anything = "*"

// Revision is a state of a store: its newest at some moment after the call. Between two
// equal revisions nothing has changed.
type Revision struct {
	Name    string // may be the same in all processes with the same state
	journal *Journal
	number  uint64
}

func (r Revision) String() string { return r.Name }

// Unchanged reports whether none of the subjects has changed since an earlier revision of the same store.
func (r Revision) Unchanged(since Revision, subjects ...string) bool {
	if r.journal == nil || r.journal != since.journal {
		return false
	}
	_, ok := r.journal.unchanged(since.number, subjects)
	return ok
}

// At is the newest state, under a name.
func (j *Journal) At(name string) Revision { return Revision{name, j, j.now.Load()} }

// Change begins a new state after a change of the subjects.
func (j *Journal) Change(subjects ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.now.Load()
	if j.last == nil || len(j.last)+len(subjects) > maxSubjects {
		j.last, j.floor = make(map[string]uint64), before
	}
	for _, s := range subjects {
		j.last[s] = before + 1
	}
	j.now.Store(before + 1)
}

// ChangeAll begins a new state after a change of everything.
func (j *Journal) ChangeAll() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.floor, j.last = j.now.Load()+1, nil
	j.now.Store(j.floor)
}

// unchanged reports whether none of the subjects has changed since a state, and the last state for which it is certain.
func (j *Journal) unchanged(since uint64, subjects []string) (until uint64, ok bool) {
	if until := j.now.Load(); since == until {
		return until, true
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	if since < j.floor {
		return 0, false
	}
	for _, s := range subjects {
		if s == Anything || j.last[s] > since {
			return 0, false
		}
	}
	return j.now.Load(), true
}
