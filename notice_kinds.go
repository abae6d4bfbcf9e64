package library

import (
	"slices"
	"time"
)

// noticeRule is what there is to know of a kind of notice, except its words.
type noticeRule struct {
	kind NoticeKind
	// wanted says that people get it who want no reminders: they have asked for the book.
	wanted bool
	// collects is how long it waits for more before a mail is made of it.
	collects time.Duration

	// One of these says when it is written: when a hold changes, or about which loans now.
	onHold    func(before, h Hold) bool
	reminders func(p Policy, now time.Time) []Reminder
	// One of these says whether it is still true when the mail is about to go out.
	trueOfHold func(h Hold, now time.Time) bool
	trueOfLoan func(l Loan, n Notice, now time.Time) bool
}

// noticeRules are all kinds of notices, the most urgent first: in that order a mail tells them.
var noticeRules = []noticeRule{
	{kind: NoticeOverdue, reminders: overdueReminders,
		trueOfLoan: func(l Loan, n Notice, _ time.Time) bool { return l.Open() && l.Due.Equal(n.Occasion) }},
	{kind: NoticeHoldReady, wanted: true, collects: time.Minute,
		onHold: func(before, h Hold) bool { return h.State == Ready && before.State != Ready },
		trueOfHold: func(h Hold, now time.Time) bool {
			return h.State == Ready && (h.Until.IsZero() || !now.After(h.Until))
		}},
	{kind: NoticeDueSoon, reminders: dueSoonReminders,
		trueOfLoan: func(l Loan, n Notice, now time.Time) bool {
			return l.Open() && l.Due.Equal(n.Occasion) && !l.at(now).Overdue
		}},
	{kind: NoticeHoldExpired,
		onHold:     func(before, h Hold) bool { return h.State == Expired && before.State == Ready },
		trueOfHold: func(h Hold, _ time.Time) bool { return h.State == Expired }},
}

// NoticeKinds is every kind of notice, the most urgent first.
var NoticeKinds = kindsOf(func(noticeRule) bool { return true })

// UnwantedBy are the kinds that a user does not get: none who is switched off, and no
// reminders who does not want any.
func UnwantedBy(u User) []NoticeKind {
	return kindsOf(func(r noticeRule) bool { return u.Inactive || u.Silent && !r.wanted })
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

// CollectingKinds are the kinds that wait for more before a mail is made of them, and how long.
func CollectingKinds() map[NoticeKind]time.Duration {
	waits := make(map[NoticeKind]time.Duration)
	for _, r := range noticeRules {
		if r.collects > 0 {
			waits[r.kind] = r.collects
		}
	}
	return waits
}

// IsTrue reports whether a notice still says what is so. Of the loan and the hold one is what it
// is about, as it is now.
func (n Notice) IsTrue(l *Loan, h *Hold, now time.Time) bool {
	switch r := ruleOf(n.Kind); {
	case r == nil: // a later program knows it
		return false
	case r.trueOfHold != nil:
		return h != nil && r.trueOfHold(*h, now)
	default:
		return l != nil && r.trueOfLoan(*l, n, now)
	}
}

// tellOfHold adds the notices about a hold that has changed. The occasion of its end is until
// when the copy was set aside, which the hold does not say any more.
func (d *Decision) tellOfHold(before, h Hold, now time.Time) {
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

// DueReminders are the reminders of which loans are due now. From the time of the day
// on that the policy says, there are some.
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

// dueSoonReminders are about loans that are due today or on one of the next days.
func dueSoonReminders(p Policy, now time.Time) []Reminder {
	if p.DueSoonDays == 0 {
		return nil
	}
	today := p.Day(now)
	return []Reminder{{Kind: NoticeDueSoon, From: p.DayBegins(today), To: today.AddDays(p.DueSoonDays).End(p.zone())}}
}

// overdueReminders are, for each value, about the loans that have been overdue for so
// many days, and not yet for as many as the next value says.
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
