package lendingmodel

import (
	"slices"

	"example.org/library"
)

// told is an event: what happened to a book, or to somebody's loan or hold.
type told struct {
	Kind      library.ChangeKind
	Subject   string
	Borrowed  bool
	Available int
	Person    string
}

// state is everything about books that can change.
type state struct {
	copies []item
	loans  []lent
	holds  []place
}

func (s state) clone() state {
	return state{slices.Clone(s.copies), slices.Clone(s.loans), slices.Clone(s.holds)}
}

// tell notes the events of a change to a book, given what there was before. A
// book has one: that it was borrowed or returned, or that something else about it
// changed. Whoever is concerned hears of each of their loans and holds, unless
// the library has forgotten them at once.
func (r *regulations) tell(book string, before state) {
	kind := library.ChangeKind("")
	if !slices.Equal(before.copies, r.copies) || r.edited || r.dueOf(before, book) != r.dueOf(r.state, book) {
		kind = library.BookChanged
	}
	for _, h := range r.holds {
		old := first(before.holds, func(old place) bool { return old.id == h.id })
		if old != nil && old.fetched != h.fetched {
			kind = library.BookChanged // which is the business of staff alone
		}
		if old == nil || old.state != h.state || old.copy != h.copy {
			kind = library.BookChanged
			r.tellPerson(library.HoldChanged, h.id, h.who)
		}
	}
	for _, l := range r.loans {
		old := first(before.loans, func(old lent) bool { return old.id == l.id })
		switch {
		case old == nil:
			kind = library.BookBorrowed
		case old.open() && !l.open():
			kind = library.BookReturned
		case old.renewals == l.renewals:
			continue
		}
		r.tellPerson(library.LoanChanged, l.id, l.who)
	}
	if kind != "" {
		r.tellBook(kind, book)
	}
	r.edited = false
}

// dueOf is when a book was shown to be due.
func (r *regulations) dueOf(then state, book string) any {
	at := *r
	at.state = then
	return at.showBook(member{}, *r.book(book)).Due
}

func (r *regulations) tellBook(kind library.ChangeKind, book string) {
	seen := r.showBook(member{}, *r.book(book))
	r.events = append(r.events, told{kind, book, seen.Borrowed, seen.Available, ""})
}

func (r *regulations) tellPerson(kind library.ChangeKind, id, who string) {
	if who != "" {
		r.events = append(r.events, told{Kind: kind, Subject: id, Person: who})
	}
}

// history is the events about one book, loan or hold, in their order. A record
// that has forgotten its person has done so in its history.
func (r *regulations) history() map[string][]told {
	bySubject := make(map[string][]told)
	for _, e := range r.events {
		if l := r.loan(e.Subject); l != nil {
			e.Person = l.who
		}
		if h := r.hold(e.Subject); h != nil {
			e.Person = h.who
		}
		bySubject[e.Subject] = append(bySubject[e.Subject], e)
	}
	return bySubject
}
