package httpapi

import (
	"slices"

	"example.org/library/httpapi/internal/responsecache"
)

// Lists of books and single books are answered from the response cache. Here is what
// a handler does with it.

// cache is where responses to the caller are. Strangers have one of their own: whatever they
// ask for, it drops nothing that people with credentials use.
func (x *exchange) cache() *responsecache.Cache {
	if x.actor.Stranger {
		return x.server.public.cache
	}
	return x.server.cache
}

// answerFromCache answers from the response cache, if it can.
func (x *exchange) answerFromCache() bool {
	r := x.cache().Get(x.at, x.actor, x.r.RequestURI)
	if r == nil {
		return false
	}
	x.answer(r)
	return true
}

// maxPatched is how many books of a list are read by themselves. Above that it is
// faster to read the list again.
const maxPatched = 50

// answerPatched answers with a cached list of which some books have changed, after
// it has read these books again. Which books are in the list, and how many there are, is as
// it was: lending does not change that.
func (x *exchange) answerPatched() (done bool, err error) {
	old, changed := x.cache().GetChanged(x.at, x.actor, x.r.RequestURI)
	if old == nil || len(changed) > maxPatched {
		return false, nil
	}
	if err := x.enter(); err != nil {
		return false, err
	}
	books, err := x.books(changed...)
	if err != nil || slices.Contains(books, nil) {
		return false, err // a book that is gone has changed the list itself
	}
	r := old.Patch(books)
	r.Tag = []string{booksTag(x.at, viewOf(x.actor, r.Parts))}
	x.cache().Put(x.at, x.actor, x.r.RequestURI, r, false)
	return true, x.answer(r)
}

// books returns the responses to a request for each of some books, nil for a book
// that does not exist. What is not in the cache is read together.
func (x *exchange) books(ids ...string) ([]*responsecache.Response, error) {
	uri := func(id string) string { return x.server.router.base + "/books/" + id }
	responses := make([]*responsecache.Response, len(ids))
	var missing []string
	for i, id := range ids {
		if responses[i] = x.cache().Get(x.at, x.actor, uri(id)); responses[i] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return responses, nil
	}
	found, err := x.server.service.BooksByID(x.r.Context(), x.actor, missing...)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if responses[i] != nil {
			continue
		}
		b := found[0]
		found = found[1:]
		if b.ID == "" {
			continue
		}
		body, err := encode(x.wireBook(b))
		if err != nil {
			return nil, err
		}
		parts := []responsecache.Part{responsecache.PartOf(b)}
		r := responsecache.NewResponse(body, bookTag(b, viewOf(x.actor, parts)))
		r.Parts = parts
		x.cache().Put(x.at, x.actor, uri(id), r, false)
		responses[i] = r
	}
	return responses, nil
}
