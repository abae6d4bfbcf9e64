package httpapi

import (
	"cmp"
	"net/http"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/calendar"
	"example.org/library/internal/validation"
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
		NoticeTime:     cmp.Or(in.word("noticeTime"), usual.NoticeTime),
		MailNote:       in.textByName("mailNote"),
	}
	if in.has("historyDays") {
		p.HistoryDays = new(in.integer("historyDays", 0))
	}
	return p
}

// textByName is an object of texts; null among them is none.
func (f *fields) textByName(name string) map[string]string {
	var values map[string]string
	f.decode(name, &values, library.Detail{Field: name, Code: validation.CodeMalformed, Message: "must be an object of strings"})
	return values
}

// weekdays are days of the week by their names. The rules are against those that
// are not one.
func (f *fields) weekdays(name string) []time.Weekday {
	return each(f.texts(name), func(word string) time.Weekday {
		if day, ok := calendar.ParseWeekday(word); ok {
			return day
		}
		return -1
	})
}

// dates are days of the calendar. The rules are against what is not one.
func (f *fields) dates(name string) []library.Date {
	return each(f.texts(name), func(text string) library.Date {
		date, _ := calendar.ParseDate(text)
		return date
	})
}

func wirePolicy(p library.Policy) api.Policy {
	return api.Policy{
		LoanDays: p.LoanDays, Renewals: p.Renewals, MaxLoans: p.MaxLoans, MaxHolds: p.MaxHolds,
		BlockOverdue: p.BlockOverdue, HoldDays: p.HoldDays, HistoryDays: p.HistoryDays, TimeZone: p.TimeZone,
		ClosedWeekdays: each(p.ClosedWeekdays, calendar.WeekdayName), ClosedDates: each(p.ClosedDates, calendar.Date.String),
		DueSoonDays: p.DueSoonDays, OverdueDays: append([]int{}, p.OverdueDays...),
		SelfBorrow: !p.DeskLends, SelfReturn: !p.DeskTakesBack,
		NoticeTime: p.NoticeTime, MailNote: p.MailNote,
	}
}
