package lendingmodel

import (
	"slices"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// What curators and admins do, and what happens by itself.

func (r *regulations) addCopy(p member, c item) string {
	if !p.curator {
		return "role_missing"
	}
	return r.onBook(c.book, func() string {
		if r.barcodeTaken(c) {
			return "barcode_taken"
		}
		r.copies = append(r.copies, c)
		return ""
	})
}

func (r *regulations) editCopy(p member, edited item) string {
	return r.onCopy(p, edited.id, func(c *item) string {
		edited.book = c.book
		switch {
		case r.loanOf(c.id) != nil && edited.state == library.Reference:
			return "on_loan"
		case r.barcodeTaken(edited):
			return "barcode_taken"
		}
		*c, r.edited = edited, true
		if c.state != library.Lendable {
			r.takeBack(c.id)
		}
		return ""
	})
}

func (r *regulations) removeCopy(p member, id string) string {
	return r.onCopy(p, id, func(c *item) string {
		if r.loanOf(id) != nil {
			return "on_loan"
		}
		r.takeBack(id)
		r.dropCopies(func(c item) bool { return c.id == id })
		return ""
	})
}

func (r *regulations) onCopy(p member, id string, rule func(*item) string) string {
	c := r.copy(id)
	switch {
	case !p.curator:
		return "role_missing"
	case c == nil:
		return "copy_not_found"
	}
	return r.onBook(c.book, func() string { return rule(r.copy(id)) })
}

// takeBack lets the person wait again for whom a copy was set aside: at the
// front, because all others in the queue have asked later.
func (r *regulations) takeBack(copyID string) {
	for i, h := range r.holds {
		if h.copy == copyID {
			r.holds[i].state, r.holds[i].copy, r.holds[i].until, r.holds[i].fetched = library.Waiting, "", time.Time{}, time.Time{}
		}
	}
}

// dropCopies removes copies; their past loans stay.
func (r *regulations) dropCopies(which func(item) bool) {
	for i, l := range r.loans {
		if c := r.copy(l.copy); c != nil && which(*c) {
			r.loans[i].copy = ""
		}
	}
	r.copies = slices.DeleteFunc(r.copies, which)
}

func (r *regulations) barcodeTaken(c item) bool {
	return c.barcode != "" && slices.ContainsFunc(r.copies, func(other item) bool {
		return other.id != c.id && other.barcode == c.barcode
	})
}

func (r *regulations) deleteBook(p member, book string) string {
	if !p.curator {
		return "role_missing"
	}
	refusal := r.onBook(book, func() string {
		switch {
		case r.lentOf(book) > 0:
			return "book_on_loan"
		case r.waiting(book)+r.setAside(book) > 0:
			return "has_holds"
		}
		return ""
	})
	if refusal != "" {
		return refusal
	}
	r.book(book).deleted = true
	r.events = append(r.events, told{Kind: library.BookDeleted, Subject: book})
	r.dropCopies(func(c item) bool { return c.book == book })
	for i, l := range r.loans {
		if l.book == book {
			r.loans[i].book = ""
		}
	}
	for i, h := range r.holds {
		if h.book == book {
			r.holds[i].book = ""
		}
	}
	return ""
}

func (r *regulations) removeUser(p member, id string) string {
	switch {
	case !p.admin:
		return "role_missing"
	case r.member(id).gone:
		return "user_not_found"
	case id == p.User.ID:
		return "own_account"
	case r.openLoans(id) > 0:
		return "user_has_books"
	}
	for _, b := range r.books {
		if r.activeHold(b.id, id) == nil {
			continue
		}
		r.onBook(b.id, func() string {
			if h := r.activeHold(b.id, id); h != nil {
				r.end(h, library.Cancelled)
			}
			return ""
		})
	}
	r.forget(id, r.now)
	r.member(id).gone = true
	return ""
}

func (r *regulations) setPolicy(p member, policy library.Policy) string {
	if !p.admin {
		return "role_missing"
	}
	old := *r
	r.policy = policy
	if old.policy.TimeZone == policy.TimeZone {
		return ""
	}
	// What is due on a day stays due on that day. People hear of their own.
	for i, l := range r.loans {
		if due := r.endOf(l.due, old.zone()); !due.Equal(l.due) {
			r.loans[i].due = due
			r.tellPerson(library.LoanChanged, l.id, l.who)
		}
	}
	for i, h := range r.holds {
		if until := r.endOf(h.until, old.zone()); !until.Equal(h.until) {
			r.holds[i].until = until
			r.tellPerson(library.HoldChanged, h.id, h.who)
		}
	}
	return ""
}

// endOf is the end of the day that an instant has in a zone, zero for no instant.
func (r *regulations) endOf(at time.Time, zone *time.Location) time.Time {
	if at.IsZero() {
		return at
	}
	year, month, day := at.In(zone).Date()
	return r.endOfDay(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))
}

// keepHouse does what is due by itself.
func (r *regulations) keepHouse() {
	for _, b := range r.books {
		r.onBook(b.id, func() string { return "" })
	}
	if days := r.policy.HistoryDays; days != nil {
		r.forget("", r.now.In(r.zone()).AddDate(0, 0, -*days))
	}
}

// forget takes one person, or everybody, out of what was over at an instant.
func (r *regulations) forget(who string, until time.Time) {
	for i, l := range r.loans {
		if (who == "" || l.who == who) && !l.open() && !l.returned.After(until) {
			r.loans[i].who = ""
		}
	}
	for i, h := range r.holds {
		if (who == "" || h.who == who) && !h.active() && !h.ended.After(until) {
			r.holds[i].who = ""
		}
	}
}

// What is a matter of the calendar.

// dueDate is when a loan is due that begins now.
func (r *regulations) dueDate() time.Time {
	if r.policy.LoanDays == 0 {
		return time.Time{}
	}
	return r.endOfDayIn(r.policy.LoanDays)
}

// endOfDayIn is the last second of the day some days from today on which the
// library is open. A day is written as its noon in UTC.
func (r *regulations) endOfDayIn(days int) time.Time {
	year, month, today := r.now.In(r.zone()).Date()
	day := time.Date(year, month, today, 12, 0, 0, 0, time.UTC).Add(time.Duration(days) * 24 * time.Hour)
	for slices.Contains(r.policy.ClosedWeekdays, day.Weekday()) || slices.Contains(r.policy.ClosedDates, fixture.DateOf(day)) {
		day = day.Add(24 * time.Hour)
	}
	return r.endOfDay(day)
}

func (r *regulations) endOfDay(day time.Time) time.Time {
	// Somewhen in the next 36 hours it is tomorrow in the library, and a quarter
	// of an hour before that was the last one of the day.
	at := day.Add(36 * time.Hour)
	for fixture.DateOf(at.In(r.zone())) != fixture.DateOf(day) {
		at = at.Add(-15 * time.Minute)
	}
	return at.Add(15*time.Minute - time.Second)
}

func (r *regulations) zone() *time.Location {
	zone, err := time.LoadLocation(r.policy.TimeZone)
	if err != nil {
		panic(err)
	}
	return zone
}
