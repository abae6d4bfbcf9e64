// Package responsecache is the response cache: encoded responses about books, valid as long as these books do not
// change. Each request learns the store's revision anew, so no response is out of date. Start reading at [Cache].
package responsecache

import (
	"slices"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/internal/revcache"
)

// Cache stores responses. Callers with the same view of all books in a response share it;
// a response with a loan or a hold of its caller is cached for this caller alone.
type Cache struct {
	responses revcache.Cache[key, *Response]
}

type key struct {
	view    string // the kind of callers, or one caller
	quarter int64  // see Snapshot
	uri     string // path and query, as received
}

// Limits of the cache, in bytes: of the whole, of one body, and of its address; and of
// the readers with views of their own beside a response for several callers.
const (
	maxBytes   = 16 << 20
	MaxBody    = 256 << 10
	maxURI     = 512
	maxReaders = 256
)

// New returns an empty cache.
func New() *Cache { return NewSmall(maxBytes) }

// NewSmall returns an empty cache for fewer bytes than the usual one.
func NewSmall(most int) *Cache {
	c := &Cache{}
	c.responses.Max = most
	return c
}

// Get returns a response for a caller: the shared one, or else the caller's own; nil if there is none.
func (c *Cache) Get(at Snapshot, caller library.Actor, uri string) *Response {
	k := key{caller.CommonView(), at.quarter, uri}
	if r, ok := c.responses.Get(at.revision, k); ok && !IsPrivate(r.Parts, caller.User.ID) {
		return r
	}
	k.view = caller.ViewKey()
	r, _ := c.responses.Get(at.revision, k)
	return r
}

// Has reports whether there is likely to be a shared response, before the caller is known.
func (c *Cache) Has(now time.Time, uri string) bool {
	quarter := SnapshotOf(library.Revision{}, now).quarter
	return slices.ContainsFunc(library.CommonViews(), func(view string) bool { return c.responses.Has(key{view, quarter, uri}) })
}

// Put stores a response to a caller, read after the snapshot. Lending changes it with its
// books, or always, if lending decides the selection of the books.
func (c *Cache) Put(at Snapshot, caller library.Actor, uri string, r *Response, followsLending bool) {
	if len(r.Body) > MaxBody || len(uri) > maxURI {
		return
	}
	subjects := []string{revcache.Anything}
	if !followsLending {
		subjects = make([]string, len(r.Parts))
		for i, p := range r.Parts {
			subjects[i] = p.subject()
		}
	}
	k := key{caller.CommonView(), at.quarter, uri}
	if IsPrivate(r.Parts, caller.User.ID) {
		k.view = caller.ViewKey()
	}
	c.responses.Put(at.revision, k, r, r.cost(k), subjects...)
}

// entryCost is the size of an entry without its texts: its place in a half empty map,
// the response and its strings, and the rounding of the allocator.
const entryCost = 512

// cost is how many bytes an entry holds.
func (r *Response) cost(k key) int {
	n := entryCost + cap(r.Body) + len(k.uri) + len(k.view) + len(r.Tag) + len(r.Total) + len(r.Link) + len(r.Corrected)
	const partCost, readerCost = 160, 96 // with their strings, and the subject, in grown slices
	for _, p := range r.Parts {
		n += partCost + readerCost*len(p.readers)
	}
	return n
}

// Snapshot is a state of the store and a quarter of an hour without a newly overdue loan.
// Beside the caller, a response depends on nothing else.
type Snapshot struct {
	revision library.Revision
	quarter  int64 // quarters of an hour since 1970
}

// SnapshotOf returns the snapshot of a revision at a time. A loan is overdue as soon as its last second, the last of a
// day, has begun to pass; and days begin with a quarter of an hour of UTC in every time zone of today.
func SnapshotOf(revision library.Revision, now time.Time) Snapshot {
	const lastSecond = time.Second - time.Microsecond // the clock's resolution
	return Snapshot{revision, now.Add(lastSecond).Unix() / int64(15*time.Minute/time.Second)}
}

// Names are the two halves of the snapshot as texts, for tags.
func (s Snapshot) Names() (revision, quarter string) {
	return s.revision.Name, strconv.FormatInt(s.quarter, 10)
}
