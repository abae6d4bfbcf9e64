package httpapi

import (
	"cmp"
	"net/http"
	"time"

	"example.org/library"
	"example.org/library/api"
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
	in, err := x.fields()
	if err != nil {
		return err
	}
	p := policy(&in)
	if err := in.err(p.Check()); err != nil {
		return err
	}
	p, err = s.service.SetPolicy(x.r.Context(), x.actor, p, precondition(x.r.Header))
	if err != nil {
		return err
	}
	return x.respondTagged(http.StatusOK, wirePolicy(p), policyTag(p))
}

// policy reads the rules. What is left out takes its default, with one exception:
// without historyDays past loans are kept.
func policy(in *fields) library.Policy {
	usual := library.DefaultPolicy()
	p := library.Policy{
		LoanDays:       in.integer("loanDays", usual.LoanDays),
		Renewals:       in.integer("renewals", usual.Renewals),
		MaxLoans:       in.integer("maxLoans", usual.MaxLoans),
		MaxHolds:       in.integer("maxHolds", usual.MaxHolds),
		BlockOverdue:   in.boolean("blockOverdue", usual.BlockOverdue),
		HoldDays:       in.integer("holdDays", usual.HoldDays),
		TimeZone:       cmp.Or(in.word("timeZone"), usual.TimeZone),
		ClosedWeekdays: in.weekdays("closedWeekdays"),
		ClosedDates:    in.dates("closedDates"),
		DueSoonDays:    in.integer("dueSoonDays", usual.DueSoonDays),
		OverdueDays:    in.integers("overdueDays", usual.OverdueDays),
		DeskLends:      !in.boolean("selfBorrow", !usual.DeskLends),
		DeskTakesBack:  !in.boolean("selfReturn", !usual.DeskTakesBack),
	}
	if in.has("historyDays") {
		days := in.integer("historyDays", 0)
		p.HistoryDays = &days
	}
	return p
}

// weekdays are days of the week by their names. The rules are against those that
// are not one.
func (f *fields) weekdays(name string) (days []time.Weekday) {
	const none = time.Weekday(-1)
	for _, word := range f.texts(name) {
		day, ok := calendar.ParseWeekday(word)
		if !ok {
			day = none
		}
		days = append(days, day)
	}
	return days
}

// dates are days of the calendar. The rules are against what is not one.
func (f *fields) dates(name string) (dates []library.Date) {
	for _, text := range f.texts(name) {
		date, _ := calendar.ParseDate(text)
		dates = append(dates, date)
	}
	return dates
}

func wirePolicy(p library.Policy) api.Policy {
	out := api.Policy{
		LoanDays: p.LoanDays, Renewals: p.Renewals, MaxLoans: p.MaxLoans, MaxHolds: p.MaxHolds,
		BlockOverdue: p.BlockOverdue, HoldDays: p.HoldDays, HistoryDays: p.HistoryDays, TimeZone: p.TimeZone,
		ClosedWeekdays: make([]string, len(p.ClosedWeekdays)), ClosedDates: make([]string, len(p.ClosedDates)),
		DueSoonDays: p.DueSoonDays, OverdueDays: append([]int{}, p.OverdueDays...),
		SelfBorrow: !p.DeskLends, SelfReturn: !p.DeskTakesBack,
	}
	for i, day := range p.ClosedWeekdays {
		out.ClosedWeekdays[i] = calendar.WeekdayName(day)
	}
	for i, date := range p.ClosedDates {
		out.ClosedDates[i] = date.String()
	}
	return out
}
