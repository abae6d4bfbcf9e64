package library

import (
	"slices"
	"time"
)

// noticeRule describes a kind of notice, except its words.
type noticeRule struct {
	kind NoticeKind
	// wanted: also for people without reminders, because they asked for the book
	wanted bool
	// collects is the time to wait for more notices for the same mail.
	collects time.Duration

	// One of these decides when it is written: on a change of a hold, or for loans now.
	onHold    func(before, h Hold) bool
	reminders func(p Policy, now time.Time) []Reminder
	// trueOfHold reports whether it is still true right before sending. A reminder is true while it
	// would be written: see [Notice.IsTrue].
	trueOfHold func(h Hold, now time.Time) bool
}

// noticeRules has all kinds of notices in their order in a mail, the most urgent first.
var noticeRules = []noticeRule{
	{kind: NoticeOverdue, reminders: overdueReminders},
	{kind: NoticeHoldReady, wanted: true, collects: time.Minute,
		onHold: func(before, h Hold) bool { return h.State == Ready && before.State != Ready },
		trueOfHold: func(h Hold, now time.Time) bool {
			return h.State == Ready && (h.Until.IsZero() || !now.After(h.Until))
		}},
	{kind: NoticeDueSoon, reminders: dueSoonReminders},
	{kind: NoticeHoldExpired,
		onHold:     func(before, h Hold) bool { return h.State == Expired && before.State == Ready },
		trueOfHold: func(h Hold, _ time.Time) bool { return h.State == Expired }},
}

// NoticeKinds lists the kinds of notices, the most urgent first.
var NoticeKinds = kindsOf(func(noticeRule) bool { return true })

// UnwantedBy returns the kinds a user does not get: all if switched off or a station, the reminders if
// unwanted.
func UnwantedBy(u User) []NoticeKind {
	return kindsOf(func(r noticeRule) bool { return u.Inactive || u.Station || u.Silent && !r.wanted })
}

func kindsOf(are func(noticeRule) bool) (kinds []NoticeKind) {
	for _, r := range noticeRules {
		if are(r) {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

func ruleOf(kind NoticeKind) *noticeRule {
	if i := slices.IndexFunc(noticeRules, func(r noticeRule) bool { return r.kind == kind }); i >= 0 {
		return &noticeRules[i]
	}
	return nil // of a later program
}

// CollectingKinds returns the kinds with a delay, and the delays.
func CollectingKinds() map[NoticeKind]time.Duration {
	waits := make(map[NoticeKind]time.Duration)
	for _, r := range noticeRules {
		if r.collects > 0 {
			waits[r.kind] = r.collects
		}
	}
	return waits
}

// IsTrue reports whether a notice is true now, regardless of the time of its writing: the clock may
// have been wrong. One of the loan and the hold is its subject, the other nil.
func (n Notice) IsTrue(l *Loan, h *Hold, p Policy, now time.Time) bool {
	switch r := ruleOf(n.Kind); {
	case r == nil: // a later program knows it
		return false
	case r.trueOfHold != nil:
		return h != nil && r.trueOfHold(*h, now)
	case l == nil || !l.Open() || l.IsClaimed() || !l.Due.Equal(n.Occasion):
		return false
	default:
		return slices.ContainsFunc(r.reminders(p, now), func(m Reminder) bool {
			return m.Value == n.Value && !l.Due.Before(m.From) && !l.Due.After(m.To)
		})
	}
}

// addHoldNotices adds the notices about a changed hold. The occasion of its end is the last moment to
// fetch the copy, already removed from the hold.
func (d *Decision) addHoldNotices(before, h Hold, now time.Time) {
	occasion := now
	if h.Until.IsZero() && !before.Until.IsZero() {
		occasion = before.Until
	}
	for _, r := range noticeRules {
		if r.onHold != nil && r.onHold(before, h) {
			d.Notices = append(d.Notices, newNotice(r.kind, h.ID, h.Holder, h.Book, occasion, 0, now))
		}
	}
}

func newNotice(kind NoticeKind, about string, to Person, book BookRef, occasion time.Time, value int, now time.Time) Notice {
	return Notice{ID: NewID(), Kind: kind, State: NoticeWaiting, About: about, Occasion: occasion, Value: value, Person: to, Book: book, Created: now}
}

// DueReminders returns the reminders to write now: none before the time of day in the policy.
func (p Policy) DueReminders(now time.Time) (all []Reminder) {
	if local := now.In(p.zone()); local.Format(noticeTimeLayout) < p.noticeTime() {
		return nil
	}
	for _, r := range noticeRules {
		if r.reminders != nil {
			all = append(all, r.reminders(p, now)...)
		}
	}
	return all
}

// dueSoonReminders are about loans due today or on one of the next days, and not overdue.
func dueSoonReminders(p Policy, now time.Time) []Reminder {
	if p.DueSoonDays == 0 {
		return nil
	}
	return []Reminder{{Kind: NoticeDueSoon, From: now, To: p.Day(now).AddDays(p.DueSoonDays).End(p.zone())}}
}

// overdueReminders are, for each value, about the loans overdue for at least so many days, but less
// than the next value.
func overdueReminders(p Policy, now time.Time) (all []Reminder) {
	today := p.Day(now)
	from := time.Time{}
	for _, days := range slices.Backward(p.OverdueDays) {
		last := today.AddDays(-days)
		all = append(all, Reminder{Kind: NoticeOverdue, Value: days, From: from, To: last.End(p.zone())})
		from = p.DayBegins(last.AddDays(1))
	}
	return all
}
