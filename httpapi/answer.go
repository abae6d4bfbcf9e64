package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.org/library"
	"example.org/library/internal/revcache"
)

// answer is a success that is ready to be sent, as often as is wanted. Header
// values are kept in the form in which the response takes them.
type answer struct {
	body   []byte
	length []string
	tag    []string // ETag, nil for none
	total  []string // X-Total-Count, nil for none
	link   []string // Link, nil for none

	readers []string // who sees something else, if it is shared
}

func newAnswer(body []byte, tag string) *answer {
	a := &answer{body: body, length: []string{strconv.Itoa(len(body))}}
	if tag != "" {
		a.tag = []string{tag}
	}
	return a
}

// encode marshals a value without escaping what only matters inside HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// respond sends a value that may not be kept.
func (x *exchange) respond(status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	x.w.Header().Set("Content-Type", "application/json")
	x.write(status, body)
	return nil
}

// respondTagged is respond with the tag of the record as it is now.
func (x *exchange) respondTagged(status int, v any, tag string) error {
	setTag(x.w.Header(), []string{tag})
	return x.respond(status, v)
}

// noContent says that it is done, and there is nothing to say about it.
func (x *exchange) noContent() error {
	x.writeHeader(http.StatusNoContent)
	return nil
}

// show sends one record with its tag.
func (x *exchange) show(v any, tag string) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	return x.answer(newAnswer(body, tag))
}

// answer sends a kept answer, or 304 when the caller has it already.
func (x *exchange) answer(a *answer) error {
	if a.tag != nil && fresh(x.r.Header, a.tag[0]) {
		x.notModified(a.tag)
		return nil
	}
	a.setHeaders(x.w.Header())
	x.setLength(a.length)
	x.writeHeader(http.StatusOK)
	x.sendWhole(a.body)
	return nil
}

func (x *exchange) notModified(tag []string) {
	setTag(x.w.Header(), tag)
	x.writeHeader(http.StatusNotModified)
}

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

// scope is what an answer depends on, and for whom it is good.
type scope struct {
	books   []string // that it shows
	filters bool     // lending changes which books it shows
	readers []string // whom one of the books concerns: others see something else
	private bool     // nobody else sees the same
}

// add makes a book part of the answer.
func (s *scope) add(b library.Book) {
	s.books = append(s.books, b.Subject())
	s.readers = append(s.readers, b.Readers...)
	s.private = s.private || !b.LooksAlike() || len(s.readers) > maxReaders
}

func (s *scope) subjects() []string {
	if s.filters {
		return []string{revcache.Anything}
	}
	return s.books
}

// isPrivate reports whether an answer to a user is for nobody else.
func (s *scope) isPrivate(user string) bool { return s.private || slices.Contains(s.readers, user) }

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
func (a *answer) cost(key answerKey, of *scope) int {
	n := entryCost + cap(a.body) + len(key.uri) + len(key.view)
	for _, header := range [][]string{a.tag, a.total, a.link, a.length} {
		for _, value := range header {
			n += len(value)
		}
	}
	const identifier = 96 // with the string that points at it, in a slice that has grown
	n += identifier * (len(of.books) + len(of.readers))
	return n
}

func newAnswerCache() *answerCache {
	c := &answerCache{}
	c.answers.Max = maxCache
	return c
}

// get returns an answer for a caller: one that is shared, or else the caller's own.
func (c *answerCache) get(at moment, caller library.Actor, uri string) *answer {
	if len(uri) > maxKeyURI {
		return nil
	}
	key := answerKey{caller.CommonView(), at.quarter, uri}
	if a, ok := c.answers.Get(at.revision, key); ok && !slices.Contains(a.readers, caller.User.ID) {
		return a
	}
	key.view = caller.ViewKey()
	a, _ := c.answers.Get(at.revision, key)
	return a
}

// put keeps an answer to a caller that was read after the moment.
func (c *answerCache) put(at moment, caller library.Actor, uri string, a *answer, of *scope) {
	if len(a.body) > maxKept || len(uri) > maxKeyURI {
		return
	}
	key := answerKey{caller.CommonView(), at.quarter, uri}
	if of.isPrivate(caller.User.ID) {
		key.view = caller.ViewKey()
	} else {
		a.readers = of.readers
	}
	c.answers.Put(at.revision, key, a, a.cost(key, of), of.subjects()...)
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

// keep sends an answer and keeps it for the next caller with the same view.
func (x *exchange) keep(a *answer, of *scope) error {
	x.server.answers.put(x.at, x.actor, x.r.RequestURI, a, of)
	return x.answer(a)
}
