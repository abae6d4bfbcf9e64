package library

import (
	"slices"
	"time"
)

// WithDueToday runs a test with one more kind of notice: this is its line in the table.
func WithDueToday(kind NoticeKind, test func()) {
	rules, kinds := noticeRules, NoticeKinds
	defer func() { noticeRules, NoticeKinds = rules, kinds }()
	noticeRules = append(slices.Clip(noticeRules), noticeRule{kind: kind, reminders: dueToday(kind)})
	NoticeKinds = kindsOf(func(noticeRule) bool { return true })
	test()
}

func dueToday(kind NoticeKind) func(Policy, time.Time) []Reminder {
	return func(p Policy, now time.Time) []Reminder {
		today := p.Day(now)
		return []Reminder{{Kind: kind, From: p.DayBegins(today), To: today.End(p.Zone())}}
	}
}

// plainDue returns the due date of a loan without rules.
func (p Policy) plainDue(now time.Time) time.Time {
	return p.DueDate(Policy{LoanDays: p.LoanDays}.Terms("", "", Date{}), now).Value
}

// lendOne is Lend without several, as a rule.
func lendOne(c Circulation, now time.Time) (Decision, error) { return c.Lend(false, now) }
