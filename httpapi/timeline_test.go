package httpapi_test

import (
	"fmt"
	"sync"
)

// timeline is the history of something that has one writer: the states it went
// through, and how far it certainly was.
type timeline[S any] struct {
	mu     sync.Mutex
	states []S
	known  int // the newest state that was answered to somebody, writer or reader
}

func newTimeline[S any](first S) *timeline[S] { return &timeline[S]{states: []S{first}} }

// begin is called before a change is asked for: from now on it may have happened.
func (l *timeline[S]) begin(next S) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states = append(l.states, next)
}

// end is called when the change was confirmed.
func (l *timeline[S]) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = len(l.states) - 1
}

// bounds are the states that an answer may show: from the newest that had been
// answered before it was asked for, to the newest that may have happened before
// it came.
type bounds struct{ from, to int }

func (l *timeline[S]) since() bounds {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bounds{from: l.known}
}

func (l *timeline[S]) until(b *bounds) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.to = len(l.states) - 1
}

// check is an error unless one of the states in the bounds is what was seen. The
// oldest such state is then known to have been answered.
func (l *timeline[S]) check(b bounds, what string, seen func(S) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := b.from; i <= b.to; i++ {
		if seen(l.states[i]) {
			l.known = max(l.known, i)
			return nil
		}
	}
	return fmt.Errorf("%s was not so in any of %+v", what, l.states[b.from:b.to+1])
}

// sight is the bounds of everything that an answer may show.
type sight struct {
	books, titles []bounds
	size, name    bounds
}

// since is called before a request is sent, until when its answer has come.
func (r *recorded) since() *sight {
	s := &sight{size: r.size.since(), name: r.name.since()}
	for i := range r.books {
		s.books = append(s.books, r.books[i].since())
		s.titles = append(s.titles, r.titles[i].since())
	}
	return s
}

func (s *sight) until(r *recorded) {
	r.size.until(&s.size)
	r.name.until(&s.name)
	for i := range r.books {
		r.books[i].until(&s.books[i])
		r.titles[i].until(&s.titles[i])
	}
}
