package finding

import (
	"context"
	"fmt"
	"sync"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// Counts are how many records lists have, as far as that is known: of books, and of all
// others of which package sqlstore has lists.
type Counts struct {
	db                engine.Engine
	people, strangers countCache
}

// NewCounts returns the counts of a database.
func NewCounts(db engine.Engine) *Counts {
	c := &Counts{db: db}
	c.strangers.Max = maxStrangerCounts
	return c
}

// count is how many records match, as it is cached. One of books can be corrected
// when the catalogue was edited.
type count struct {
	n        int
	matching int    // books with the words, whether they can be borrowed or not
	edits    string // which edits are in it, see dialect.EditMark; "" if it cannot be corrected
}

// maxCountKey is the longest key under which a count is cached, in bytes. Longer
// queries are hardly ever repeated.
const maxCountKey = 2048

// countCache are counts that are known. A full one is dropped as a whole, so strangers have one
// of their own: whatever they ask for, the counts of people stay.
type countCache struct {
	revcache.Cache[string, count]
	underWay countings
}

// maxStrangerCounts is how many counts are kept of what strangers have asked for.
const maxStrangerCounts = 512

// Cached asks the database to count, unless the count is known. It is good until
// one of the subjects changes, or everything.
func (c *Counts) Cached(ctx context.Context, text string, a engine.Arguments, subjects ...string) (int, error) {
	return c.cached(ctx, &c.people, countKey(text, a), subjects, func(ctx context.Context, _ count) (count, error) {
		n, err := c.Anew(ctx, text, a)
		return count{n: n}, err
	})
}

// Anew asks the database to count.
func (c *Counts) Anew(ctx context.Context, text string, a engine.Arguments) (int, error) {
	return engine.ReadOne(ctx, c.db, "count", engine.ScanNumber, text, c.db.Dialect().PlannedFor(a)...)
}

// cached returns the count that is known under a key. If it is not good any
// more it is made again, by a function that gets the last one. Callers who ask for the
// same at the same time are coalesced: they get the same outcome.
func (c *Counts) cached(ctx context.Context, known *countCache, key string, subjects []string, again func(ctx context.Context, last count) (count, error)) (int, error) {
	at, err := c.db.Revision(ctx)
	if err != nil {
		return 0, err
	}
	if counted, ok := known.Get(at, key); ok {
		return counted.n, nil
	}
	if len(key) > maxCountKey {
		counted, err := again(ctx, count{})
		return counted.n, err
	}
	counting := known.underWay.enter(key, func(ctx context.Context, wanted []library.Revision) (count, error) {
		at := wanted[len(wanted)-1]
		if counted, ok := known.Get(at, key); ok {
			return counted, nil
		}
		last, _ := known.Last(at, key)
		counted, err := again(ctx, last)
		if err == nil {
			known.Put(at, key, counted, 1, subjects...)
		}
		return counted, err
	})
	defer known.underWay.leave(key)
	waiting, cancel := context.WithTimeout(ctx, engine.Timeout(ctx))
	defer cancel()
	counted, _, err := counting.Do(waiting, at)
	return counted.n, c.db.Dialect().Error(ctx, "wait for a count", err)
}

// countings are the counts under way.
type countings struct {
	mu    sync.Mutex
	byKey map[string]*counting
}

// counting is a count under way, for which others with the same query wait (coalescing):
// to count may take long.
type counting struct {
	engine.Coalescing[library.Revision, count]
	waiting int
}

// enter finds the count of a key that is under way, or begins one.
func (c *countings) enter(key string, ask func(context.Context, []library.Revision) (count, error)) *counting {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.byKey[key]
	if one == nil {
		if c.byKey == nil {
			c.byKey = make(map[string]*counting)
		}
		one = &counting{}
		one.Ask, one.Hold = ask, engine.UsualTimeout
		c.byKey[key] = one
	}
	one.waiting++
	return one
}

func (c *countings) leave(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.byKey[key]
	if one.waiting--; one.waiting == 0 {
		delete(c.byKey, key)
	}
}

func countKey(text string, a engine.Arguments) string {
	for _, value := range a {
		text += "\x00" + fmt.Sprint(value)
	}
	return text
}
