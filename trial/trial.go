// Package trial tries a policy on the past: it plays loans and holds under the policy of now and under the one tried,
// and tells the differences. It also proves rules without any effect. Start reading at [Trial].
package trial

import (
	"slices"
	"time"

	"example.org/library"
)

// Window is how far back a trial looks.
const Window = 365 * 24 * time.Hour

// MaxExamples limits the examples of an answer.
const MaxExamples = 20

// Answer has the differences, and the rules without effect.
type Answer struct {
	From            library.Date // the first day, in the time zone of now
	Loans, Holds    int          // looked at
	Refused         Refusals     // of loans, and not under the policy of now
	Examples        []Example    // of these, the newest first
	DueEarlier      Shift
	DueLater        Shift
	RenewalsRefused int
	HoldsRefused    Refusals
	OnClosedDays    int // due days with a difference by closed days alone
	Dead            []Dead
}

// Refusals counts refusals.
type Refusals struct {
	Count int
	By    []Refusal // the highest count first
}

// Refusal counts refusals with one reason.
type Refusal struct {
	Code, Rule, Category string
	Count                int
}

// Example is a refused loan.
type Example struct {
	Loan, Code, Rule string
}

// Shift counts due days that move, and has the largest difference in days.
type Shift struct{ Count, Days int }

// Trial plays a history: Loans and Holds each return a function for their records, and begin anew when called again.
type Trial struct {
	since              time.Time
	now, tried, closed *play // closed is tried with the closed days of now
	answer             Answer
	refused, held      tally
}

// New returns a trial of a policy, compared with the policy of now, about the time since an instant.
func New(now, tried library.Policy, since time.Time) *Trial {
	closed := tried
	closed.ClosedWeekdays, closed.ClosedDates = now.ClosedWeekdays, now.ClosedDates
	return &Trial{since: since, now: newPlay(now), tried: newPlay(tried), closed: newPlay(closed), answer: Answer{From: now.Day(since)}}
}

// Loans begins a play of loans, in the order of their beginnings.
func (t *Trial) Loans() func(library.PastLoan) {
	t.answer = Answer{From: t.answer.From}
	t.refused = tally{}
	people := having{}
	return func(l library.PastLoan) {
		r := record{user: l.User, category: l.Category, kind: l.Kind, began: l.Since, ended: l.Returned}
		verdict := people.take(t, r, library.Terms.LoanLimit)
		if l.Since.Before(t.since) {
			return
		}
		t.answer.Loans++
		switch {
		case verdict.now == nil && verdict.tried == nil:
			t.compare(l)
		case verdict.now == nil:
			t.example(l, t.refused.add(verdict.tried, l.Category))
		}
	}
}

// Holds begins a play of holds, in the order of their beginnings, after the one of loans.
func (t *Trial) Holds() func(library.PastHold) {
	t.answer.Holds, t.held = 0, tally{}
	people := having{}
	refuse := func(terms library.Terms, holds int, ofKind map[string]int) error {
		if err := terms.MayReserve(); err != nil {
			return err
		}
		return terms.HoldLimit(holds, ofKind)
	}
	return func(h library.PastHold) {
		r := record{user: h.User, category: h.Category, kind: h.Kind, began: h.Created, ended: h.Ended}
		verdict := people.take(t, r, refuse)
		if h.Created.Before(t.since) {
			return
		}
		t.answer.Holds++
		if verdict.now == nil && verdict.tried != nil {
			t.held.add(verdict.tried, h.Category)
		}
	}
}

// Answer returns the differences, and the dead rules as of a day.
func (t *Trial) Answer(today library.Date) Answer {
	a := t.answer
	slices.Reverse(a.Examples)
	a.Refused, a.HoldsRefused = t.refused.sum(), t.held.sum()
	a.Dead = DeadRules(t.tried.policy, today)
	return a
}

// compare counts the differences between the loan in both plays.
func (t *Trial) compare(l library.PastLoan) {
	now, tried := t.now.at(l.Category, l.Kind, l.Since), t.tried.at(l.Category, l.Kind, l.Since)
	t.answer.RenewalsRefused += max(0, max(0, l.Renewals-tried.Renewals.Value)-max(0, l.Renewals-now.Renewals.Value))
	if l.DueGiven || now.due == tried.due {
		return
	}
	shift, days := &t.answer.DueLater, daysBetween(now.due, tried.due)
	if now.isBefore(tried) {
		shift.Count++
	} else {
		shift, days = &t.answer.DueEarlier, -days
		shift.Count++
	}
	shift.Days = max(shift.Days, days)
	if t.closed.at(l.Category, l.Kind, l.Since).due == now.due {
		t.answer.OnClosedDays++
	}
}

// example keeps the newest refused loans, the newest last.
func (t *Trial) example(l library.PastLoan, why *library.Error) {
	e := &t.answer.Examples
	if len(*e) == MaxExamples {
		*e = slices.Delete(*e, 0, 1)
	}
	*e = append(*e, Example{l.ID, why.Code, why.Rule})
}
