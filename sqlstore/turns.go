package sqlstore

import (
	"context"
	"slices"
	"sync"

	"example.org/library"
)

// turn is what a transaction waits for before it takes a connection.
type turn struct {
	thing  string
	places int // how many may work at it
}

// A second transaction about a book is on its way to the database while the
// first commits. Those about one person are rarely in each other's way, and the
// caller may be a desk that lends to everybody.
const (
	placesAtBook   = 2
	placesAtPerson = 8
)

// turnsFor are in the order in which everybody takes them.
func turnsFor(l library.Load) []turn {
	var all []turn
	if l.Book != "" {
		all = append(all, turn{atBook(l), placesAtBook})
	}
	people := []string{l.Caller, l.Reader}
	slices.Sort(people)
	for _, id := range slices.Compact(people) {
		if id != "" {
			all = append(all, turn{"person " + id, placesAtPerson})
		}
	}
	return all
}

func atBook(l library.Load) string { return "book " + l.Book }

// takeTurns waits in line, where transactions wait for each other. One that has a
// connection already may be waited for in the database, and goes there.
func (t *tx) takeTurns(ctx context.Context, all ...turn) error {
	if t.pipeline == nil || t.pipeline.conn != nil {
		return nil
	}
	return t.pipeline.takeTurns(ctx, all)
}

// turns lets few at a time work at the same thing; the others wait in line, in
// the order in which they came. The database would let them wait, too, but each
// with a connection in its hands, and a pool has few: while one book is locked,
// those who want it would keep everybody else from all others.
type turns struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	working int
	waiting []chan struct{} // closed when it is one's turn
}

// maxInLine bounds how many wait for one thing.
const maxInLine = 1000

// take waits until fewer than places work at a thing. Whoever has got a turn
// gives it back with done.
func (t *turns) take(ctx context.Context, thing string, places int) error {
	t.mu.Lock()
	if t.lines == nil {
		t.lines = make(map[string]*line)
	}
	l := t.lines[thing]
	if l == nil {
		l = new(line)
		t.lines[thing] = l
	}
	if l.working < places && len(l.waiting) == 0 {
		l.working++
		t.mu.Unlock()
		return nil
	}
	if len(l.waiting) >= maxInLine {
		t.mu.Unlock()
		return library.ErrUnavailable
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		t.leave(thing, turn)
		return ctx.Err()
	}
}

// isTaken reports whether anybody works at a thing.
func (t *turns) isTaken(thing string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lines[thing] != nil
}

// leave gives up waiting. The turn may have come at the same moment.
func (t *turns) leave(thing string, turn chan struct{}) {
	t.mu.Lock()
	l := t.lines[thing]
	i := slices.Index(l.waiting, turn)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.done(thing)
	}
}

// done gives a turn to the next in line.
func (t *turns) done(thing string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[thing]
	switch {
	case len(l.waiting) > 0:
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
	case l.working == 1:
		delete(t.lines, thing)
	default:
		l.working--
	}
}
