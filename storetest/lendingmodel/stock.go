package lendingmodel

import (
	"time"

	"example.org/library"
	"example.org/library/service"
)

// What is missing, lost, or said to be back.

// see notes the place of a copy. A missing one is again what it was.
func (m *model) see(c *item) {
	m.seen[c.id] = m.now
	if c.state == library.Missing {
		c.state, c.before, c.missingSince = c.before, "", time.Time{}
	}
}

// mark gives a copy a state. A missing one remembers what it was.
func (c *item) mark(state library.CopyState, now time.Time) {
	switch {
	case state != library.Missing:
		c.before, c.missingSince = "", time.Time{}
	case c.state == library.Reference:
		c.before, c.missingSince = library.Reference, now
	case c.state != library.Missing:
		c.before, c.missingSince = library.Lendable, now
	}
	c.state = state
}

func (m *model) seeCopy(p member, id string) string {
	return m.onCopy(p, id, func(c *item) string {
		m.see(c)
		return ""
	})
}

// seeMissing finds a missing copy that is in somebody's hand, before anything else happens to it.
func (m *model) seeMissing(c *item) *item {
	if c.state == library.Missing {
		m.onBook(c.book, func() string {
			m.see(m.copy(c.id))
			return ""
		})
	}
	return m.copy(c.id)
}

func (m *model) claim(p member, id string) string {
	return m.onLoanAtDesk(p, id, func(l *loan) string {
		if !l.claimed.IsZero() {
			return "claimed"
		}
		l.claimed = m.now
		return ""
	})
}

func (m *model) unclaim(p member, id string) string {
	return m.onLoanAtDesk(p, id, func(l *loan) string {
		l.claimed = time.Time{}
		return ""
	})
}

func (m *model) lose(p member, id string) string {
	return m.onLoanAtDesk(p, id, func(l *loan) string {
		m.closeAt(l, m.now)
		l.lost, m.edited = true, true
		m.copy(l.copy).mark(library.Lost, m.now)
		return ""
	})
}

// returnClaimed ends a claimed loan as of its claim.
func (m *model) returnClaimed(p member, id string) string {
	return m.onLoanAtDesk(p, id, func(l *loan) string {
		if l.claimed.IsZero() {
			return "not_claimed"
		}
		m.takeInAtDesk(l, l.claimed)
		return ""
	})
}

func (m *model) onLoanAtDesk(p member, id string, rule func(*loan) string) string {
	if !p.curator {
		return "role_missing"
	}
	return m.onLoan(p, id, rule)
}

func (w *world) seeCopy(s step) outcome {
	p, c := w.staffOf(s), w.copyOf(s)
	since := c.missingSince
	got, err := w.service.SeeCopy(w.Ctx, p.Actor, c.id)
	type answer struct {
		Copy  copyView
		Since time.Time
	}
	return outcome{err, w.model.seeCopy(p, c.id), answer{viewOfCopy(got.Copy), got.WasMissing}, func() any {
		return answer{w.model.showCopy(*w.model.copy(c.id)), since}
	}}
}

func (w *world) claim(s step) outcome {
	l := w.loanOf(s)
	if l == nil {
		return outcome{}
	}
	p := w.staffOf(s)
	want := func() any { return w.model.showLoan(*w.model.loan(l.id)) }
	if s.choice%3 == 0 {
		return outcome{err: w.service.Unclaim(w.Ctx, p.Actor, l.id), refusal: w.model.unclaim(p, l.id)}
	}
	got, err := w.service.Claim(w.Ctx, p.Actor, l.id)
	return outcome{err, w.model.claim(p, l.id), viewOfLoan(got), want}
}

// endClaim ends a claimed loan, or says that its copy is lost.
func (w *world) endClaim(s step) outcome {
	l := mostly(w.model.loans, func(l loan) bool { return l.open() && !l.claimed.IsZero() }, s)
	if l == nil {
		return outcome{}
	}
	p, borrower := w.staffOf(s), l.who
	var got library.Loan
	var err error
	var refusal string
	if s.choice%3 == 0 {
		got, err = w.service.LoseLoan(w.Ctx, p.Actor, l.id)
		refusal = w.model.lose(p, l.id)
	} else {
		var back service.ReturnedLoan
		back, err = w.service.ReturnClaimed(w.Ctx, p.Actor, l.id)
		got, refusal = back.Loan, w.model.returnClaimed(p, l.id)
	}
	return outcome{err, refusal, viewOfLoan(got), func() any {
		want := w.model.showLoan(*w.model.loan(l.id))
		want.Who = borrower
		return want
	}}
}
