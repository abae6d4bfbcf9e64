package library

import (
	"slices"
	"time"
)

// Terms are the policy for one person and one book on a day: every value with its source.
//
// A rule for categories and kinds goes before one for kinds, that before one for categories, that before
// the policy, and an earlier rule before a later one. Each value is the one of the first rule with it.
// Limits are two: rules without kinds limit all loans or holds, rules with kinds those of their kinds.
type Terms struct {
	LoanDays   Ruled[int]
	Until      Ruled[Date] // zero for none
	Renewals   Ruled[int]
	SelfBorrow Ruled[bool]
	Holds      Ruled[bool]
	Lend       Ruled[bool]
	MaxLoans   Ruled[int]
	MaxHolds   Ruled[int]

	MaxLoansOfKinds, MaxHoldsOfKinds *KindsLimit // nil for none
}

// Ruled is a value with the name of its rule, "" for the policy itself.
type Ruled[T any] struct {
	Value T
	Rule  string
}

// KindsLimit limits the loans or holds of some kinds.
type KindsLimit struct {
	Ruled[int]
	Kinds []string
}

// Count returns the loans or holds of the limit's kinds.
func (l *KindsLimit) Count(ofKind map[string]int) (n int) {
	for _, kind := range l.Kinds {
		n += ofKind[kind]
	}
	return n
}

// isReached reports whether one more is over the limit. 0 lifts a limit.
func isReached(limit, has int) bool { return limit > 0 && has >= limit }

// Terms returns the policy for a person of a category, "" for none, and a book of a kind.
func (p Policy) Terms(category, kind string, today Date) Terms {
	t := Terms{
		LoanDays: Ruled[int]{Value: p.LoanDays}, Renewals: Ruled[int]{Value: p.Renewals},
		MaxLoans: Ruled[int]{Value: p.MaxLoans}, MaxHolds: Ruled[int]{Value: p.MaxHolds},
		SelfBorrow: Ruled[bool]{Value: !p.DeskLends}, Holds: Ruled[bool]{Value: true}, Lend: Ruled[bool]{Value: true},
	}
	if len(p.Rules) == 0 {
		return t
	}
	for rank := 2; rank >= 0; rank-- { // the last to decide wins
		for _, r := range slices.Backward(p.Rules) {
			if r.rank() == rank && r.appliesTo(category, kind) {
				t.take(&r, today)
			}
		}
	}
	return t
}

// take gives the terms the values of a rule.
func (t *Terms) take(r *PolicyRule, today Date) {
	take(&t.LoanDays, r.LoanDays, r.Name)
	take(&t.Until, r.untilOn(today), r.Name)
	take(&t.Renewals, r.Renewals, r.Name)
	take(&t.SelfBorrow, r.SelfBorrow, r.Name)
	take(&t.Holds, r.Holds, r.Name)
	take(&t.Lend, r.Lend, r.Name)
	if len(r.Kinds) == 0 {
		take(&t.MaxLoans, r.MaxLoans, r.Name)
		take(&t.MaxHolds, r.MaxHolds, r.Name)
		return
	}
	if r.MaxLoans != nil {
		t.MaxLoansOfKinds = &KindsLimit{Ruled[int]{*r.MaxLoans, r.Name}, r.Kinds}
	}
	if r.MaxHolds != nil {
		t.MaxHoldsOfKinds = &KindsLimit{Ruled[int]{*r.MaxHolds, r.Name}, r.Kinds}
	}
}

func take[T any](into *Ruled[T], value *T, rule string) {
	if value != nil {
		*into = Ruled[T]{*value, rule}
	}
}

// LoanLimit refuses one more loan above a limit, to somebody with some loans. The limit of kinds is looked at first.
func (t Terms) LoanLimit(loans int, ofKind map[string]int) error {
	return refuseAbove(t.MaxLoansOfKinds, ofKind, t.MaxLoans, loans, loanLimit)
}

// HoldLimit refuses one more hold in the same way.
func (t Terms) HoldLimit(holds int, ofKind map[string]int) error {
	return refuseAbove(t.MaxHoldsOfKinds, ofKind, t.MaxHolds, holds, holdLimit)
}

func refuseAbove(kinds *KindsLimit, ofKind map[string]int, all Ruled[int], has int, refuse func(Ruled[int]) error) error {
	switch {
	case kinds != nil && isReached(kinds.Value, kinds.Count(ofKind)):
		return refuse(kinds.Ruled)
	case isReached(all.Value, has):
		return refuse(all)
	}
	return nil
}

// MayReserve returns nil if such a book may be reserved.
func (t Terms) MayReserve() error {
	if t.Holds.Value {
		return nil
	}
	return ruledBy(t.Holds.Rule, ErrNotReservable)
}

// DueDay returns the last day of a loan made today, zero for none, with its rule: the one with the Until
// that cuts the loan short, or else the one of the LoanDays.
func (p Policy) DueDay(t Terms, today Date) Ruled[Date] {
	due := Ruled[Date]{Rule: t.LoanDays.Rule}
	if t.LoanDays.Value > 0 {
		due.Value = p.openDay(today.AddDays(t.LoanDays.Value))
	}
	until := t.Until.Value
	if until == (Date{}) || due.Value != (Date{}) && due.Value.Compare(until) <= 0 {
		return due
	}
	due = t.Until
	for day := until; day.Compare(today) >= 0; day = day.AddDays(-1) {
		if !p.closed(day) {
			return Ruled[Date]{day, due.Rule}
		}
	}
	return due
}

// DueDate returns the due date of a loan or renewal made now: the end of a day, or zero if it has none.
func (p Policy) DueDate(t Terms, now time.Time) Ruled[time.Time] {
	day := p.DueDay(t, p.Day(now))
	if day.Value == (Date{}) {
		return Ruled[time.Time]{Rule: day.Rule}
	}
	return Ruled[time.Time]{day.Value.End(p.Zone()), day.Rule}
}

// LimitsReaders reports whether the policy limits the loans or holds of a reader.
func (p Policy) LimitsReaders() bool {
	limits := func(r PolicyRule) bool { return isLimit(r.MaxLoans) || isLimit(r.MaxHolds) }
	return p.MaxLoans > 0 || p.MaxHolds > 0 || slices.ContainsFunc(p.Rules, limits)
}

// LimitsKinds reports whether the policy limits the loans or holds of some kinds of books.
func (p Policy) LimitsKinds() bool {
	return slices.ContainsFunc(p.Rules, func(r PolicyRule) bool {
		return len(r.Kinds) > 0 && (isLimit(r.MaxLoans) || isLimit(r.MaxHolds))
	})
}

func isLimit(n *int) bool { return n != nil && *n > 0 }
