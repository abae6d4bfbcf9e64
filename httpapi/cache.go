package httpapi

import "example.org/library/httpapi/internal/responsecache"

// Lists of books and single books are answered from the response cache. Handlers use it
// through this file.

// cache is where responses to the caller are. Strangers have one of their own, so that
// their requests drop no response to people with credentials.
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

// answerAndCache answers with a value about no single book, and caches it until a book is edited, or, if it follows
// lending, until anything changes.
func (x *exchange) answerAndCache(v any, corrected string, followsLending bool) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	r := responsecache.NewResponse(body, "")
	if corrected != "" {
		r.Corrected = correctedField(corrected)
	}
	x.cache().Put(x.at, x.actor, x.r.RequestURI, r, followsLending)
	return x.answer(r)
}

// book returns the response with one book, from the cache or from the database.
func (x *exchange) book(id string) (*responsecache.Response, error) {
	b, err := x.server.service.Book(x.r.Context(), x.actor, id)
	if err != nil {
		return nil, err
	}
	body, err := encode(x.wireBook(b))
	if err != nil {
		return nil, err
	}
	parts := []responsecache.Part{responsecache.PartOf(b)}
	r := responsecache.NewResponse(body, bookTag(b, viewOf(x.actor, parts)))
	r.Parts = parts
	x.cache().Put(x.at, x.actor, x.r.RequestURI, r, false)
	return r, nil
}
