package httpapi

import (
	"bytes"
	"slices"

	"example.org/library"
)

// maxMended is how many books of a list are read by themselves. To read the list
// anew takes longer than to read many of its books.
const maxMended = 50

// mend answers with a list of which some books have changed since it was kept, with
// these read anew. Which books are in it, and how many there are, is as it was:
// lending does not change that.
func (x *exchange) mend() (done bool, err error) {
	old, changed := x.server.answers.getChanged(x.at, x.actor, x.r.RequestURI)
	if old == nil || len(changed) > maxMended {
		return false, nil
	}
	if err := x.enter(); err != nil {
		return false, err
	}
	var ids []string
	for _, p := range old.parts {
		if slices.Contains(changed, p.subject()) {
			ids = append(ids, p.book)
		}
	}
	books, err := x.books(ids...)
	if err != nil || slices.Contains(books, nil) {
		return false, err // without a book, everything has changed
	}
	a := old.with(books)
	a.tag = []string{booksTag(x.at, viewOf(x.actor, a.parts))}
	x.server.answers.put(x.at, x.actor, x.r.RequestURI, a, false)
	return true, x.answer(a)
}

// with returns the list with other answers for some of its books, in the order of
// the list.
func (a *answer) with(books []*answer) *answer {
	var body bytes.Buffer
	body.Grow(len(a.body) + 256)
	parts := slices.Clone(a.parts)
	start := 0
	for i, p := range parts {
		text := a.body[start:p.end] // with the bracket or comma before it
		start = p.end
		if len(books) > 0 && books[0].parts[0].book == p.book {
			body.WriteByte(text[0])
			text = books[0].body
			parts[i] = books[0].parts[0]
			books = books[1:]
		}
		body.Write(text)
		parts[i].end = body.Len()
	}
	body.Write(a.body[start:])
	mended := newAnswer(body.Bytes(), "")
	mended.total, mended.link, mended.parts = a.total, a.link, parts
	return mended
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

// books are the answers to who asks for each of some books, nil for one that does
// not exist. They are kept, and those that are not are read together.
func (x *exchange) books(ids ...string) ([]*answer, error) {
	uri := func(id string) string { return x.server.router.base + "/books/" + id }
	answers := make([]*answer, len(ids))
	var missing []string
	for i, id := range ids {
		if answers[i] = x.server.answers.get(x.at, x.actor, uri(id)); answers[i] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return answers, nil
	}
	found, err := x.server.service.BooksByID(x.r.Context(), x.actor, missing...)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if answers[i] != nil {
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
		parts := []part{partOf(b)}
		a := newAnswer(body, bookTag(b, viewOf(x.actor, parts)))
		a.parts = parts
		x.server.answers.put(x.at, x.actor, uri(id), a, false)
		answers[i] = a
	}
	return answers, nil
}
