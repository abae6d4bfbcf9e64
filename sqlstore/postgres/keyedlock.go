package postgres

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"example.org/library"
)

// lockKey is a key to wait for before a transaction takes a connection.
type lockKey struct {
	name   string
	places int // how many may have it at once
}

// A second transaction about a book is on its way to the database while the first commits. Transactions of one person
// are rarely in each other's way, and the caller may be a desk lending to everybody.
const (
	placesAtBook   = 2
	placesAtPerson = 8
)

// keysFor returns keys in the common order.
func keysFor(l library.Load) []lockKey {
	var all []lockKey
	if l.Book != "" {
		all = append(all, lockKey{"book " + l.Book, placesAtBook})
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

// keyedLocks lets few at a time work at the same thing; the others wait in line, in the order in which they came. The
// database would let them wait, too, but each with a connection, and a pool has few: while one book is locked, the
// callers who wait for it would take all connections from the others.
type keyedLocks struct {
	mu    sync.Mutex
	lines map[string]*line
}

// line is a key with transactions that have it or wait for it.
type line struct {
	places *semaphore.Weighted // given in the order of arrival
	users  int
}

// maxInLine bounds how many wait for one key.
const maxInLine = 1000

// lock waits until fewer than k.places have a key. Each holder gives it back with unlock.
func (t *keyedLocks) lock(ctx context.Context, k lockKey) error {
	l := t.join(k)
	if l == nil {
		return library.ErrUnavailable
	}
	err := l.places.Acquire(ctx, 1)
	if err != nil {
		t.leave(k.name)
	}
	return err
}

// join returns the line for a key, nil if it is full.
func (t *keyedLocks) join(k lockKey) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines == nil {
		t.lines = make(map[string]*line)
	}
	l := t.lines[k.name]
	if l == nil {
		l = &line{places: semaphore.NewWeighted(int64(k.places))}
		t.lines[k.name] = l
	}
	if l.users == k.places+maxInLine {
		return nil
	}
	l.users++
	return l
}

// leave forgets a line without transactions.
func (t *keyedLocks) leave(name string) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[name]
	if l.users--; l.users == 0 {
		delete(t.lines, name)
	}
	return l
}

// unlock gives a key to the next in line.
func (t *keyedLocks) unlock(name string) { t.leave(name).places.Release(1) }
