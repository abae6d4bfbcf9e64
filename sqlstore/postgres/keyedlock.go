package postgres

import (
	"context"
	"slices"
	"sync"

	"example.org/library"
)

// lockKey is what a transaction waits for before it takes a connection.
type lockKey struct {
	name   string
	places int // how many may have it at once
}

// A second transaction about a book is on its way to the database while the
// first commits. Those about one person are rarely in each other's way, and the
// caller may be a desk that lends to everybody.
const (
	placesAtBook   = 2
	placesAtPerson = 8
)

// keysFor are in the order in which everybody takes them.
func keysFor(l library.Load) []lockKey {
	var all []lockKey
	if l.Book != "" {
		all = append(all, lockKey{bookKey(l), placesAtBook})
	}
	people := []string{l.Caller, l.Reader}
	slices.Sort(people)
	for _, id := range slices.Compact(people) {
		if id != "" {
			all = append(all, lockKey{"person " + id, placesAtPerson})
		}
	}
	return all
}

func bookKey(l library.Load) string { return "book " + l.Book }

// keyedLocks lets few at a time work at the same thing; the others wait in line, in
// the order in which they came. The database would let them wait, too, but each
// with a connection, and a pool has few: while one book is locked, the callers who
// wait for it would take all connections from the others.
type keyedLocks struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	working int
	waiting []chan struct{} // closed when the lock is granted
}

// maxInLine bounds how many wait for one key.
const maxInLine = 1000

// lock waits until fewer than k.places have a key. Each that has got it gives it back
// with unlock.
func (t *keyedLocks) lock(ctx context.Context, k lockKey) error {
	t.mu.Lock()
	if t.lines == nil {
		t.lines = make(map[string]*line)
	}
	l := t.lines[k.name]
	if l == nil {
		l = new(line)
		t.lines[k.name] = l
	}
	if l.working < k.places && len(l.waiting) == 0 {
		l.working++
		t.mu.Unlock()
		return nil
	}
	if len(l.waiting) >= maxInLine {
		t.mu.Unlock()
		return library.ErrUnavailable
	}
	granted := make(chan struct{})
	l.waiting = append(l.waiting, granted)
	t.mu.Unlock()
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		t.leave(k.name, granted)
		return ctx.Err()
	}
}

// isLocked reports whether anybody has a key.
func (t *keyedLocks) isLocked(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lines[name] != nil
}

// leave gives up waiting. The lock may have been granted at the same moment.
func (t *keyedLocks) leave(name string, granted chan struct{}) {
	t.mu.Lock()
	l := t.lines[name]
	i := slices.Index(l.waiting, granted)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.unlock(name)
	}
}

// unlock gives a key to the next in line.
func (t *keyedLocks) unlock(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[name]
	switch {
	case len(l.waiting) > 0:
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
	case l.working == 1:
		delete(t.lines, name)
	default:
		l.working--
	}
}
