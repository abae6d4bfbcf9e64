package lendingmodel

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.org/library"
)

// event is what happened to a book, or to the loan or hold of a person.
type event struct {
	Kind      library.ChangeKind
	Subject   string
	Borrowed  bool
	Available int
	Person    string
}

// state is what can change about books.
type state struct {
	copies []item
	loans  []loan
	holds  []hold
	seen   map[string]time.Time // by copy: when the library last knew its place
}

func (s state) clone() state {
	return state{slices.Clone(s.copies), slices.Clone(s.loans), slices.Clone(s.holds), maps.Clone(s.seen)}
}

// publish notes the events of a change to a book, given the state before it. There is
// one about the book: borrowed, returned, or changed in another way. There is one for
// each loan and hold that changed; it names nobody if the library has forgotten the person at once.
func (m *model) publish(book string, before state) {
	kind := library.ChangeKind("")
	if !slices.Equal(before.copies, m.copies) || m.edited || m.dueOf(before, book) != m.dueOf(m.state, book) {
		kind = library.BookChanged
	}
	for _, h := range m.holds {
		old := first(before.holds, func(old hold) bool { return old.id == h.id })
		if old != nil && old.fetched != h.fetched {
			kind = library.BookChanged // and no event for the person: only staff see it
		}
		if old == nil || old.state != h.state || old.copy != h.copy {
			kind = library.BookChanged
			m.publishToPerson(library.HoldChanged, h.id, h.who)
		}
	}
	for _, l := range m.loans {
		old := first(before.loans, func(old loan) bool { return old.id == l.id })
		switch {
		case old == nil, !old.open() && l.open():
			kind = library.BookBorrowed
		case old.open() && !l.open():
			kind = library.BookReturned
		case l.open() && old.copy != l.copy:
			kind = cmp.Or(kind, library.BookChanged)
		case old.renewals == l.renewals && old.claimed.Equal(l.claimed):
			continue
		}
		m.publishToPerson(library.LoanChanged, l.id, l.who)
	}
	if kind != "" {
		m.publishBook(kind, book)
	}
	m.edited = false
}

// dueOf is the due date that was shown with a book in an earlier state.
func (m *model) dueOf(then state, book string) any {
	at := *m
	at.state = then
	return at.showBook(member{}, *m.book(book)).Due
}

func (m *model) publishBook(kind library.ChangeKind, book string) {
	view := m.showBook(member{}, *m.book(book))
	m.events = append(m.events, event{kind, book, view.Borrowed, view.Available, ""})
}

func (m *model) publishToPerson(kind library.ChangeKind, id, who string) {
	m.events = append(m.events, event{Kind: kind, Subject: id, Person: who})
}

// history is the events about each book, loan and hold, in their order. If a record
// has forgotten its person, so have its events.
func (m *model) history() map[string][]event {
	bySubject := make(map[string][]event)
	for _, e := range m.events {
		if l := m.loan(e.Subject); l != nil {
			e.Person = l.who
		}
		if h := m.hold(e.Subject); h != nil {
			e.Person = h.who
		}
		bySubject[e.Subject] = append(bySubject[e.Subject], e)
	}
	return bySubject
}
