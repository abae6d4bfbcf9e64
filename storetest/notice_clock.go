package storetest

import (
	"testing"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/storetest/fixture"
)

func remindersComeOnTheirDay(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 7 })
	_, err := p.service.Borrow(p.Ctx, p.readers[0], p.book("Emma")) // due on the 9th
	p.must(err)
	p.at(22, "12:00") // the clock is ahead
	p.keepHouse()
	p.want("written by the wrong clock", "overdue 7 Emma")
	for _, s := range []struct {
		rule  string
		day   int
		clock string
		sends bool
		want  []string
	}{
		{"what is not true by the time of sending is dropped", 2, "12:01", false, []string{"overdue 7 Emma dropped"}},
		{"its day has not come", 6, "07:59", false, []string{"overdue 7 Emma dropped"}},
		{"other reminders come", 6, "08:00", true, []string{"overdue 7 Emma dropped", "due_soon Emma sent"}},
		{"lower values, too", 10, "08:00", true, []string{"overdue 7 Emma dropped", "due_soon Emma sent", "overdue 1 Emma sent"}},
		{"it comes on its day", 16, "08:00", true, []string{"overdue 7 Emma sent", "due_soon Emma sent", "overdue 1 Emma sent"}},
		{"once", 17, "12:00", false, []string{"overdue 7 Emma sent", "due_soon Emma sent", "overdue 1 Emma sent"}},
		{"a clock that goes back sends nothing again", 7, "12:00", false, []string{"overdue 7 Emma sent", "due_soon Emma sent", "overdue 1 Emma sent"}},
	} {
		p.at(s.day, s.clock)
		p.keepHouse()
		m, err := p.mails.Claim(p.Ctx, "me")
		p.must(err)
		if (m != nil) != s.sends {
			t.Errorf("%s: there is a mail: %t", s.rule, m != nil)
		}
		if m != nil {
			p.must(p.mails.End(p.Ctx, m, notice.Outcome{}))
		}
		p.want(s.rule, s.want...)
	}
}
