package httpapi

import (
	"bytes"
	"errors"
	"slices"

	"example.org/library"
)

// maxMended is how many books of a list are read one by one. To read the list anew
// takes as long as to read a few of its books.
const maxMended = 4

// mend answers with a list of which some books have changed since it was kept, with
// these read anew. Which books are in it, and how many there are, is as it was:
// lending does not change that.
func (x *exchange) mend() (done bool, err error) {
	old, changed := x.server.answers.getChanged(x.at, x.actor, x.r.RequestURI)
	if old == nil || len(changed) > maxMended {
		return false, nil
	}
	var body bytes.Buffer
	body.Grow(len(old.body) + 256)
	parts := make([]part, len(old.parts))
	start := 0
	for i, p := range old.parts {
		text := old.body[start:p.end] // with the bracket or comma before it
		start = p.end
		if slices.Contains(changed, p.subject()) {
			one, err := x.book(p.book)
			if errors.Is(err, library.ErrBookNotFound) {
				return false, nil // everything has changed
			}
			if err != nil {
				return false, err
			}
			p = one.parts[0]
			body.WriteByte(text[0])
			text = one.body
		}
		body.Write(text)
		p.end = body.Len()
		parts[i] = p
	}
	body.Write(old.body[start:])
	a := newAnswer(body.Bytes(), booksTag(x.at, viewOf(x.actor, parts)))
	a.total, a.link, a.parts = old.total, old.link, parts
	x.server.answers.put(x.at, x.actor, x.r.RequestURI, a, false)
	return true, x.answer(a)
}

// getChanged returns a list for a caller of which some books have changed: one that
// others share whom the rest concerns as little as the caller, or the caller's own.
func (c *answerCache) getChanged(at moment, caller library.Actor, uri string) (a *answer, changed []string) {
	key := answerKey{caller.CommonView(), at.quarter, uri}
	a, changed, ok := c.answers.GetChanged(at.revision, key)
	if ok && !slices.ContainsFunc(a.parts, func(p part) bool {
		return !slices.Contains(changed, p.subject()) && p.differs(caller.User.ID)
	}) {
		return a, changed
	}
	key.view = caller.ViewKey()
	a, changed, _ = c.answers.GetChanged(at.revision, key)
	return a, changed
}

// book is the answer to who asks for one book. It is kept.
func (x *exchange) book(id string) (*answer, error) {
	uri := x.server.router.base + "/books/" + id
	if a := x.server.answers.get(x.at, x.actor, uri); a != nil {
		return a, nil
	}
	b, err := x.server.service.Book(x.r.Context(), x.actor, id)
	if err != nil {
		return nil, err
	}
	body, err := encode(x.wireBook(b))
	if err != nil {
		return nil, err
	}
	parts := []part{partOf(b)}
	a := newAnswer(body, bookTag(b, viewOf(x.actor, parts)))
	a.parts = parts
	x.server.answers.put(x.at, x.actor, uri, a, false)
	return a, nil
}
