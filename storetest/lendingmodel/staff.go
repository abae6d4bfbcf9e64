package lendingmodel

import (
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
)

// What curators and admins do, and what happens by itself.

func (m *model) addCopy(p member, c item) string {
	if !p.curator {
		return "role_missing"
	}
	return m.onBook(c.book, func() string {
		if m.barcodeTaken(c) {
			return "barcode_taken"
		}
		state := c.state
		c.state = ""
		c.mark(state, m.now)
		m.copies = append(m.copies, c)
		return ""
	})
}

func (m *model) editCopy(p member, edited item) string {
	return m.onCopy(p, edited.id, func(c *item) string {
		edited.book = c.book
		switch {
		case m.loanOf(c.id) != nil && (edited.state == library.Reference || edited.state == library.Missing):
			return "on_loan"
		case m.barcodeTaken(edited):
			return "barcode_taken"
		}
		c.mark(edited.state, m.now)
		c.barcode, c.shelf, m.edited = edited.barcode, edited.shelf, true
		if c.state != library.Lendable {
			m.takeBack(c.id)
		}
		return ""
	})
}

func (m *model) removeCopy(p member, id string) string {
	return m.onCopy(p, id, func(c *item) string {
		if m.loanOf(id) != nil {
			return "on_loan"
		}
		m.takeBack(id)
		m.dropCopies(func(c item) bool { return c.id == id })
		return ""
	})
}

func (m *model) onCopy(p member, id string, rule func(*item) string) string {
	c := m.copy(id)
	switch {
	case !p.curator:
		return "role_missing"
	case c == nil:
		return "copy_not_found"
	}
	return m.onBook(c.book, func() string { return rule(m.copy(id)) })
}

// takeBack ends that a copy is set aside. The person waits again, at the front: all
// others in the queue have asked later.
func (m *model) takeBack(copyID string) {
	for i, h := range m.holds {
		if h.copy == copyID {
			m.holds[i].state, m.holds[i].copy, m.holds[i].until, m.holds[i].fetched = library.Waiting, "", time.Time{}, time.Time{}
		}
	}
}

// dropCopies removes copies; their past loans stay.
func (m *model) dropCopies(which func(item) bool) {
	for i, l := range m.loans {
		if c := m.copy(l.copy); c != nil && which(*c) {
			m.loans[i].copy = ""
		}
	}
	m.copies = slices.DeleteFunc(m.copies, which)
}

func (m *model) barcodeTaken(c item) bool {
	return c.barcode != "" && slices.ContainsFunc(m.copies, func(other item) bool {
		return other.id != c.id && other.barcode == c.barcode
	})
}

func (m *model) deleteBook(p member, book string) string {
	if !p.curator {
		return "role_missing"
	}
	refusal := m.onBook(book, func() string {
		switch {
		case m.lentOf(book) > 0:
			return "book_on_loan"
		case m.waiting(book)+m.setAside(book) > 0:
			return "has_holds"
		}
		return ""
	})
	if refusal != "" {
		return refusal
	}
	m.book(book).deleted = true
	m.events = append(m.events, event{Kind: library.BookDeleted, Subject: book})
	m.dropCopies(func(c item) bool { return c.book == book })
	for i, l := range m.loans {
		if l.book == book {
			m.loans[i].book = ""
		}
	}
	for i, h := range m.holds {
		if h.book == book {
			m.holds[i].book = ""
		}
	}
	return ""
}

func (m *model) removeUser(p member, id string) string {
	switch {
	case !p.admin:
		return "role_missing"
	case m.member(id).gone:
		return "user_not_found"
	case id == p.User.ID:
		return "own_account"
	case m.openLoans(id) > 0:
		return "user_has_books"
	}
	for _, b := range m.books {
		if m.activeHold(b.id, id) == nil {
			continue
		}
		m.onBook(b.id, func() string {
			if h := m.activeHold(b.id, id); h != nil {
				m.end(h, library.Cancelled)
			}
			return ""
		})
	}
	m.forget(id, m.now)
	m.member(id).gone = true
	return ""
}

// block gives a person a reason for lending nothing to them, or takes it away. Nobody does that for themselves.
func (m *model) block(p member, who, reason string) string {
	switch b := m.member(who); {
	case !p.curator:
		return "role_missing"
	case b.gone:
		return "user_not_found"
	case who == p.User.ID && b.block != reason:
		return "self"
	default:
		b.block = reason
		return ""
	}
}

func (m *model) setPolicy(p member, policy library.Policy) string {
	if !p.admin {
		return "role_missing"
	}
	old := *m
	m.policy = policy
	if old.policy.TimeZone == policy.TimeZone {
		return ""
	}
	// What is due on a day stays due on that day. There is an event for each borrower.
	for i, l := range m.loans {
		if due := m.endOf(l.due, old.zone()); !due.Equal(l.due) {
			m.loans[i].due = due
			if l.who != "" {
				m.publishToPerson(library.LoanChanged, l.id, l.who)
			}
		}
	}
	for i, h := range m.holds {
		if until := m.endOf(h.until, old.zone()); !until.Equal(h.until) {
			m.holds[i].until = until
			if h.who != "" {
				m.publishToPerson(library.HoldChanged, h.id, h.who)
			}
		}
	}
	return ""
}

// endOf is the end of the day that an instant has in a zone, zero for no instant.
func (m *model) endOf(at time.Time, zone *time.Location) time.Time {
	if at.IsZero() {
		return at
	}
	year, month, day := at.In(zone).Date()
	return m.endOfDay(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))
}

// housekeeping does what happens by itself.
func (m *model) housekeeping() {
	for _, b := range m.books {
		m.onBook(b.id, func() string { return "" })
	}
	if days := m.policy.HistoryDays; days != nil {
		m.forget("", m.now.In(m.zone()).AddDate(0, 0, -*days))
	}
}

// forget removes one person, or everybody, from loans and holds that ended before an instant.
func (m *model) forget(who string, until time.Time) {
	for i, l := range m.loans {
		if (who == "" || l.who == who) && !l.open() && !l.returned.After(until) {
			m.loans[i].who = ""
		}
	}
	for i, h := range m.holds {
		if (who == "" || h.who == who) && !h.active() && !h.ended.After(until) {
			m.holds[i].who = ""
		}
	}
}

// The calendar.

// endOfDayIn is the last second of the day some days from today on which the
// library is open. A day is written as its noon in UTC.
func (m *model) endOfDayIn(days int) time.Time {
	year, month, today := m.now.In(m.zone()).Date()
	day := time.Date(year, month, today, 12, 0, 0, 0, time.UTC).Add(time.Duration(days) * 24 * time.Hour)
	for m.isClosed(day) {
		day = day.Add(24 * time.Hour)
	}
	return m.endOfDay(day)
}

func (m *model) endOfDay(day time.Time) time.Time {
	// The next day begins in the library within 36 hours. Going back from there in
	// quarters of an hour, the first one in the day is its last.
	at := day.Add(36 * time.Hour)
	for calendar.DateOf(at.In(m.zone())) != calendar.DateOf(day) {
		at = at.Add(-15 * time.Minute)
	}
	return at.Add(15*time.Minute - time.Second)
}

func (m *model) zone() *time.Location {
	zone, err := time.LoadLocation(m.policy.TimeZone)
	if err != nil {
		panic(err)
	}
	return zone
}
