package library

import (
	"slices"
	"time"
)

// noticeRule describes a kind of notice, except its words.
type noticeRule struct {
	kind NoticeKind
	// asked: also for people without reminders, because they asked for the book
	asked bool
	// collects is the time to wait for more notices for the same mail.
	collects time.Duration

	// One of these decides when it is written: on a change of a hold, for loans now, or about a loan
	// when a hold becomes the only one waiting for its book.
	onHold    func(before, h Hold) bool
	reminders func(p Policy, now time.Time) []Reminder
	onWait    func(p Policy, l Loan) bool
	// trueOfHold reports whether it is still true right before sending. A reminder is true or a notice on
	// waiting is true while it would be written: see [Notice.IsTrue].
	trueOfHold func(h Hold, now time.Time) bool
}

// noticeRules has all kinds of notices in their order in a mail, the most urgent first.
var noticeRules = []noticeRule{
	{kind: NoticeOverdue, reminders: overdueReminders},
	{kind: NoticeHoldReady, asked: true, collects: time.Minute,
		onHold: func(before, h Hold) bool { return h.State == Ready && before.State != Ready },
		trueOfHold: func(h Hold, now time.Time) bool {
			return h.State == Ready && (h.Until.IsZero() || !now.After(h.Until))
		}},
	{kind: NoticeDueSoon, reminders: dueSoonReminders},
	{kind: NoticeWanted, onWait: func(p Policy, l Loan) bool { return p.NoticeWanted && l.Awaited > 0 }},
	{kind: NoticeHoldExpired,
		onHold:     func(before, h Hold) bool { return h.State == Expired && before.State == Ready },
		trueOfHold: func(h Hold, _ time.Time) bool { return h.State == Expired }},
}

// NoticeKinds lists the kinds of notices, the most urgent first.
var NoticeKinds = kindsOf(func(noticeRule) bool { return true })

// UnwantedBy returns the kinds a user does not get: all if switched off or a station, the reminders if
// unwanted.
func UnwantedBy(u User) []NoticeKind {
	return kindsOf(func(r noticeRule) bool { return u.Inactive || u.Station || u.Silent && !r.asked })
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
	case l == nil || !l.Open() || l.IsClaimed():
		return false
	case r.onWait != nil:
		return r.onWait(p, *l)
	case !l.Due.Equal(n.Occasion):
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

// addWaitNotices adds the notices about the loan due first, or else the oldest, if one hold waits that did
// not wait alone before.
func (d *Decision) addWaitNotices(before []Hold, r *ruling) {
	if len(r.Queue) != 1 || len(before) == 1 && before[0].ID == r.Queue[0].ID {
		return
	}
	var first *Loan
	for _, c := range r.Copies {
		if l := c.Loan; l != nil && !l.IsClaimed() && (first == nil || l.before(*first)) {
			first = l
		}
	}
	if first == nil {
		return
	}
	judged := r.judge(*first, false)
	for _, rule := range noticeRules {
		if rule.onWait != nil && rule.onWait(r.Policy, judged) {
			d.Notices = append(d.Notices, newNotice(rule.kind, first.ID, first.Borrower, first.Book, first.Since, 0, r.now))
		}
	}
}

func newNotice(kind NoticeKind, about string, to Person, book BookRef, occasion time.Time, value int, now time.Time) Notice {
	return Notice{ID: NewID(), Kind: kind, State: NoticeWaiting, About: about, Occasion: occasion, Value: value, Person: to, Book: book, Created: now}
}

// DueReminders returns the reminders to write now: none before the time of day in the policy.
func (p Policy) DueReminders(now time.Time) (all []Reminder) {
	if local := now.In(p.Zone()); local.Format(noticeTimeLayout) < p.noticeTime() {
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
	return []Reminder{{Kind: NoticeDueSoon, From: now, To: p.Day(now).AddDays(p.DueSoonDays).End(p.Zone())}}
}

// overdueReminders are, for each value, about the loans overdue for at least so many days, but less
// than the next value.
func overdueReminders(p Policy, now time.Time) (all []Reminder) {
	today := p.Day(now)
	from := time.Time{}
	for _, days := range slices.Backward(p.OverdueDays) {
		last := today.AddDays(-days)
		all = append(all, Reminder{Kind: NoticeOverdue, Value: days, From: from, To: last.End(p.Zone())})
		from = p.DayBegins(last.AddDays(1))
	}
	return all
}
