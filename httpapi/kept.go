package httpapi

import (
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/revcache"
)

// answerCache keeps encoded answers about books, as long as nothing changes that
// they show. The revision that tells is learned anew at every request.
type answerCache struct {
	answers revcache.Cache[answerKey, *answer]
}

// moment is when a request was judged: a state of the store, and a time within
// which no loan becomes overdue.
type moment struct {
	revision library.Revision
	quarter  int64 // of an hour
}

// momentOf finds the moment of a time. A loan is overdue as soon as its last
// second, the last of a day, has begun to pass; and days begin with a quarter of
// an hour of UTC in every time zone of today.
func momentOf(revision library.Revision, now time.Time) moment {
	const lastSecond = time.Second - time.Microsecond // the clock's resolution
	return moment{revision, now.Add(lastSecond).Unix() / int64(15*time.Minute/time.Second)}
}

type answerKey struct {
	view    string // what differs between callers
	quarter int64  // of an hour
	uri     string // path and query, as received
}

// part is a book that an answer shows.
type part struct {
	book    string   // identifier
	end     int      // of its text in the body
	readers []string // whom it concerns: others see something else
	isAlike bool     // all others see the same
}

func partOf(b library.Book) part {
	return part{book: b.ID, readers: b.Readers, isAlike: b.LooksAlike()}
}

func (p part) subject() string { return library.Book{ID: p.book}.Subject() }

// differs reports whether a user may see something else of the book than others.
func (p part) differs(user string) bool { return !p.isAlike || slices.Contains(p.readers, user) }

// isPrivate reports whether an answer that shows the parts to a user is for nobody
// else.
func isPrivate(parts []part, user string) bool {
	readers := 0
	for _, p := range parts {
		readers += len(p.readers)
		if p.differs(user) {
			return true
		}
	}
	return readers > maxReaders
}

// Limits of the cache, in bytes: of all that it holds, of one body, and of its
// address; and of the readers whom an answer that is shared may concern.
const (
	maxCache   = 16 << 20
	maxKept    = 256 << 10
	maxKeyURI  = 512
	maxReaders = 256
)

// entryCost is what an entry takes beside its texts: its place in the map while
// that is half empty, the answer, a slice and a string for each header, and what
// the allocator rounds up.
const entryCost = 512

// cost is how many bytes an entry holds.
func (a *answer) cost(key answerKey) int {
	n := entryCost + cap(a.body) + len(key.uri) + len(key.view)
	for _, header := range [][]string{a.tag, a.total, a.link, a.length} {
		for _, value := range header {
			n += len(value)
		}
	}
	const partCost, readerCost = 160, 96 // with their strings, and the subject, in slices that have grown
	for _, p := range a.parts {
		n += partCost + readerCost*len(p.readers)
	}
	return n
}

func newAnswerCache() *answerCache {
	c := &answerCache{}
	c.answers.Max = maxCache
	return c
}

// get returns an answer for a caller: one that is shared, or else the caller's own.
func (c *answerCache) get(at moment, caller library.Actor, uri string) *answer {
	key := answerKey{caller.CommonView(), at.quarter, uri}
	if a, ok := c.answers.Get(at.revision, key); ok && !isPrivate(a.parts, caller.User.ID) {
		return a
	}
	key.view = caller.ViewKey()
	a, _ := c.answers.Get(at.revision, key)
	return a
}

// put keeps an answer to a caller that was read after the moment. Lending changes
// it with the books that it shows, or, where lending decides which these are, always.
func (c *answerCache) put(at moment, caller library.Actor, uri string, a *answer, followsLending bool) {
	if len(a.body) > maxKept || len(uri) > maxKeyURI {
		return
	}
	subjects := []string{revcache.Anything}
	if !followsLending {
		subjects = make([]string, len(a.parts))
		for i, p := range a.parts {
			subjects[i] = p.subject()
		}
	}
	key := answerKey{caller.CommonView(), at.quarter, uri}
	if isPrivate(a.parts, caller.User.ID) {
		key.view = caller.ViewKey()
	}
	c.answers.Put(at.revision, key, a, a.cost(key), subjects...)
}

// replay answers from the cache, if it can.
func (x *exchange) replay() bool {
	a := x.server.answers.get(x.at, x.actor, x.r.RequestURI)
	if a == nil {
		return false
	}
	x.answer(a)
	return true
}
