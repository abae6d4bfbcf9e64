// Package responsecache is the response cache: encoded responses about books, valid
// as long as nothing changes that they show. Each request learns the store's
// revision anew, so a response that is out of date is never given. Start reading at
// [Cache].
package responsecache

import (
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/revcache"
)

// Cache stores responses. Callers who see the same of all books of a response share
// it; a response in which a caller sees a loan or a hold of their own is cached for
// that caller alone.
type Cache struct {
	responses revcache.Cache[key, *Response]
}

type key struct {
	view    string // what differs between callers
	quarter int64  // see Snapshot
	uri     string // path and query, as received
}

// Limits of the cache, in bytes: of all that it holds, of one body, and of its
// address; and of the readers whom a response for several callers may concern.
const (
	maxBytes   = 16 << 20
	MaxBody    = 256 << 10
	maxURI     = 512
	maxReaders = 256
)

// New returns an empty cache.
func New() *Cache { return NewSmall(maxBytes) }

// NewSmall returns an empty cache that holds fewer bytes than the usual one.
func NewSmall(most int) *Cache {
	c := &Cache{}
	c.responses.Max = most
	return c
}

// Get returns a response for a caller: one for all who see the same, or else the
// caller's own; nil if there is none.
func (c *Cache) Get(at Snapshot, caller library.Actor, uri string) *Response {
	k := key{caller.CommonView(), at.quarter, uri}
	if r, ok := c.responses.Get(at.revision, k); ok && !IsPrivate(r.Parts, caller.User.ID) {
		return r
	}
	k.view = caller.ViewKey()
	r, _ := c.responses.Get(at.revision, k)
	return r
}

// Has reports whether there is likely to be a response for a caller of whom nothing is
// known yet: one that callers share.
func (c *Cache) Has(now time.Time, uri string) bool {
	quarter := SnapshotOf(library.Revision{}, now).quarter
	return slices.ContainsFunc(library.CommonViews(), func(view string) bool { return c.responses.Has(key{view, quarter, uri}) })
}

// GetChanged returns a list for a caller of which some books have changed, and the
// identifiers of these books in the order of the list. The list is one for all callers
// whom the other books do not concern, or the caller's own.
func (c *Cache) GetChanged(at Snapshot, caller library.Actor, uri string) (r *Response, books []string) {
	k := key{caller.CommonView(), at.quarter, uri}
	r, changed, ok := c.responses.GetChanged(at.revision, k)
	if !ok || r.hasPrivateBeside(changed, caller.User.ID) {
		k.view = caller.ViewKey()
		if r, changed, ok = c.responses.GetChanged(at.revision, k); !ok {
			return nil, nil
		}
	}
	return r, r.booksOf(changed)
}

// Put stores a response to a caller that was read after the snapshot. Lending changes
// it with the books that it shows, or always, where lending decides which books
// these are.
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

// entryCost is what an entry takes beside its texts: its place in the map while
// that is half empty, the response, a slice and a string for each header, and what
// the allocator rounds up.
const entryCost = 512

// cost is how many bytes an entry holds.
func (r *Response) cost(k key) int {
	n := entryCost + cap(r.Body) + len(k.uri) + len(k.view)
	for _, header := range [][]string{r.Tag, r.Total, r.Link, r.Length, r.Corrected} {
		for _, value := range header {
			n += len(value)
		}
	}
	const partCost, readerCost = 160, 96 // with their strings, and the subject, in slices that have grown
	for _, p := range r.Parts {
		n += partCost + readerCost*len(p.readers)
	}
	return n
}
