package lookup

import (
	"slices"
	"sync"
	"time"

	"example.org/library"
)

// kept are answers that are kept for a day. All have the same time to live, so the oldest is the
// first that goes, for its age or for room.
type kept struct {
	now func() time.Time

	mu    sync.Mutex
	at    map[string]entry
	queue []string // names, the oldest first
	bytes int
}

// entry is what a source has answered, also that it does not know the book.
type entry struct {
	book  library.BookFields
	found bool
	until time.Time
}

func newKept(now func() time.Time) *kept { return &kept{now: now, at: make(map[string]entry)} }

func (k *kept) get(name string) (entry, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.at[name]
	return e, ok && k.now().Before(e.until)
}

func (k *kept) put(name string, e entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	e.until = now.Add(keptFor)
	if _, known := k.at[name]; known {
		k.forget(name)
	}
	k.at[name], k.queue, k.bytes = e, append(k.queue, name), k.bytes+e.weight(name)
	for len(k.queue) > 1 && (k.bytes > keptBytes || !now.Before(k.at[k.queue[0]].until)) {
		k.forget(k.queue[0])
	}
}

// forget takes an entry out. Nearly always it is the first.
func (k *kept) forget(name string) {
	for i, other := range k.queue {
		if other == name {
			k.queue = slices.Delete(k.queue, i, i+1)
			break
		}
	}
	k.bytes -= k.at[name].weight(name)
	delete(k.at, name)
}

// weight is about how many bytes an entry takes.
func (e entry) weight(name string) int {
	const record = 512
	return record + 2*len(name) + weight(&e.book)
}
