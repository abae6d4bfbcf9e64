package httpapi

import (
	"cmp"
	"net/http"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/httpapi/internal/input"
	"example.org/library/internal/calendar"
)

func (s *Server) showPolicy(x *exchange) error {
	p, err := s.service.Policy(x.r.Context(), x.actor)
	if err != nil {
		return err
	}
	return x.show(wirePolicy(p), policyTag(p))
}

func (s *Server) setPolicy(x *exchange) error {
	p, err := x.policy()
	if err != nil {
		return err
	}
	p, err = s.service.SetPolicy(x.r.Context(), x.actor, p, precondition(x.r.Header))
	if err != nil {
		return err
	}
	return x.respondTagged(http.StatusOK, wirePolicy(p), policyTag(p))
}

// policy reads the policy in the body.
func (x *exchange) policy() (library.Policy, error) {
	in, err := x.fields()
	if err != nil {
		return library.Policy{}, err
	}
	p := policy(&in)
	return p, in.Err(p.Check())
}

// policy reads the rules. What is left out takes its default, with one exception:
// without historyDays past loans are kept.
func policy(in *input.Fields) library.Policy {
	usual := library.DefaultPolicy()
	p := library.Policy{
		LoanDays:       in.Integer("loanDays", usual.LoanDays),
		Renewals:       in.Integer("renewals", usual.Renewals),
		MaxLoans:       in.Integer("maxLoans", usual.MaxLoans),
		MaxHolds:       in.Integer("maxHolds", usual.MaxHolds),
		BlockOverdue:   in.Boolean("blockOverdue", usual.BlockOverdue),
		HoldDays:       in.Integer("holdDays", usual.HoldDays),
		TimeZone:       cmp.Or(in.Word("timeZone"), usual.TimeZone),
		ClosedWeekdays: in.Weekdays("closedWeekdays"),
		ClosedDates:    in.Dates("closedDates"),
		DueSoonDays:    in.Integer("dueSoonDays", usual.DueSoonDays),
		OverdueDays:    in.Integers("overdueDays", usual.OverdueDays),
		DeskLends:      !in.Boolean("selfBorrow", !usual.DeskLends),
		DeskTakesBack:  !in.Boolean("selfReturn", !usual.DeskTakesBack),
		NoticeWanted:   in.Boolean("noticeWanted", usual.NoticeWanted),
		NoticeTime:     cmp.Or(in.Word("noticeTime"), usual.NoticeTime),
		MailNote:       in.TextByName("mailNote"),
		Locale:         cmp.Or(in.Word("locale"), usual.Locale),
		Rules:          policyRules(in),
	}
	if in.Has("historyDays") {
		p.HistoryDays = new(in.Integer("historyDays", 0))
	}
	return p
}

func wirePolicy(p library.Policy) api.Policy {
	return api.Policy{
		LoanDays: p.LoanDays, Renewals: p.Renewals, MaxLoans: p.MaxLoans, MaxHolds: p.MaxHolds,
		BlockOverdue: p.BlockOverdue, HoldDays: p.HoldDays, HistoryDays: p.HistoryDays, TimeZone: p.TimeZone,
		ClosedWeekdays: each(p.ClosedWeekdays, calendar.WeekdayName), ClosedDates: each(p.ClosedDates, calendar.Date.String),
		DueSoonDays: p.DueSoonDays, OverdueDays: append([]int{}, p.OverdueDays...),
		SelfBorrow: !p.DeskLends, SelfReturn: !p.DeskTakesBack,
		NoticeWanted: p.NoticeWanted, NoticeTime: p.NoticeTime, MailNote: p.MailNote, Locale: cmp.Or(p.Locale, library.DefaultPolicy().Locale),
		Rules: each(p.Rules, wireRule),
	}
}
