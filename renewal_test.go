package library

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/calendar"
)

// A renewal that would not move the due date is refused and not counted, and the
// loan says from which day on one would. 16 November 2026 is a Monday.
func TestRenewingTooEarly(t *testing.T) {
	t.Parallel()
	day := func(text string) Date { d, _ := calendar.ParseDate(text); return d }
	sundays := []time.Weekday{time.Sunday}
	for _, c := range []struct {
		rule     string
		days     int
		zone     string
		closed   []time.Weekday
		dates    []Date
		due      string // the day on which the loan is due; "" for none
		renewals int
		waiting  bool
		from     string // the first day on which it moves; "" if it does today, or never
		err      error
	}{
		{rule: "on the day of the loan", days: 28, due: "2026-12-14", from: "2026-11-17", err: ErrTooEarly},
		{rule: "a day later it moves", days: 28, due: "2026-12-13"},
		{rule: "after a longer policy", days: 14, due: "2026-12-14", from: "2026-12-01", err: ErrTooEarly},
		{rule: "where the next day counts to the same open day", days: 5, closed: sundays, due: "2026-11-23", from: "2026-11-19", err: ErrTooEarly},
		{rule: "where the due date itself is closed now", days: 6, closed: sundays, due: "2026-11-22"},
		{rule: "where all days before the due date are closed", days: 7, due: "2026-11-23", dates: []Date{day("2026-11-23"), day("2026-11-22"), day("2026-11-21")}},
		{rule: "in a zone where it is Tuesday already", days: 28, zone: "Pacific/Kiritimati", due: "2026-12-15", from: "2026-11-18", err: ErrTooEarly},
		{rule: "without any date", days: 0, err: ErrTooEarly},
		{rule: "a loan without a date gets one", days: 28},
		{rule: "a loan with a date loses it", days: 0, due: "2026-12-14"},
		{rule: "the limit of renewals is the first reason", days: 28, due: "2026-12-14", renewals: 2, err: ErrRenewalLimit},
		{rule: "that others wait is the first reason", days: 28, due: "2026-12-14", waiting: true, err: ErrAwaited},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			p := DefaultPolicy()
			p.LoanDays, p.ClosedWeekdays, p.ClosedDates = c.days, c.closed, c.dates
			if c.zone != "" {
				p.TimeZone = c.zone
			}
			text := "lent jane"
			if c.waiting {
				text += "; jim"
			}
			given := situation(t, text, p, "jane")
			loan := given.Copies[0].Loan
			loan.Renewals, loan.Due = c.renewals, time.Time{}
			if c.due != "" {
				loan.Due = day(c.due).End(p.Zone())
			}
			d, err := given.Renew(loan.ID, monday)
			if !errors.Is(err, c.err) || err == nil && (d.Loan.Renewals != c.renewals+1 || d.Loan.Due.Equal(loan.Due)) {
				t.Fatalf("%+v, %v; want error %v", d.Loan, err, c.err)
			}
			if c.waiting {
				loan.Awaited = 1
			}
			judged, from := loan.Judged(p, monday), ""
			if !judged.RenewableFrom.IsZero() {
				from = p.Day(judged.RenewableFrom).String()
			}
			if judged.Renewable != (c.err == nil) || from != c.from {
				t.Errorf("renewable %v, from %q; want %v, %q", judged.Renewable, from, c.err == nil, c.from)
			}
		})
	}
}

// RenewableFrom is honest: on the day before nothing moves, on that day it does.
// Whatever is closed, and where a day is missing or clocks are changed.
func TestRenewableFromIsTheFirstDayThatMovesTheDueDate(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/Santiago", "Pacific/Apia", "Pacific/Kwajalein", "Australia/Lord_Howe"} {
		for _, closed := range [][]time.Weekday{nil, {time.Sunday}, {time.Saturday, time.Sunday, time.Monday}} {
			p := DefaultPolicy()
			p.TimeZone, p.ClosedWeekdays, p.LoanDays = zone, closed, 9
			p.ClosedDates = []Date{onDay(2011, 12, 27), onDay(2011, 12, 28), onDay(2012, 3, 20)}
			for _, begins := range []Date{onDay(2011, 12, 10), onDay(2012, 3, 1), onDay(2012, 9, 20), onDay(1993, 8, 5)} {
				for i := range 40 {
					now := p.DayBegins(begins.AddDays(i)).Add(10 * time.Hour)
					for _, due := range []time.Time{p.plainDue(now), p.plainDue(now).Add(-5 * time.Hour), p.plainDue(now.AddDate(0, 0, 30))} {
						loan := Loan{ID: "loan", Due: due}
						from := loan.renewableFrom(p, now)
						if got := loan.renewed(p, from).Value; !got.After(due) {
							t.Fatalf("%s, closed %v, due %s: renewed at %s it is due %s", zone, closed, due, from, got)
						}
						if got := loan.renewed(p, from.Add(-time.Second)).Value; !got.Equal(due) {
							t.Fatalf("%s, closed %v, due %s: renewed before %s it is due %s", zone, closed, due, from, got)
						}
					}
				}
			}
		}
	}
}

// Where readers may not do something without the desk, the desk still may, and that is
// the reason they get, whatever else is against it.
func TestWhatOnlyTheDeskDoes(t *testing.T) {
	t.Parallel()
	lending, takingBack := DefaultPolicy(), DefaultPolicy()
	lending.DeskLends, takingBack.DeskTakesBack = true, true
	selfBorrow, selfReturn := SelfService(Circulation.SelfBorrow, borrow), SelfService(Circulation.SelfReturn, giveIn)
	for _, c := range []struct {
		rule   string
		policy Policy
		before string
		ask    Rule
		err    error
	}{
		{"a reader does not borrow", lending, "free", selfBorrow, ErrDeskOnly},
		{"not even what is set aside", lending, "aside jane", selfBorrow, ErrDeskOnly},
		{"nor what is lent", lending, "lent jim", selfBorrow, ErrDeskOnly},
		{"nor what the reader has already", lending, "lent jane", selfBorrow, ErrDeskOnly},
		{"but gives back", lending, "lent jane", selfReturn, nil},
		{"the desk lends", lending, "free", lendOne, nil},
		{"and a reader reserves", lending, "lent jim", hold, nil},
		{"a reader does not give back", takingBack, "lent jane", selfReturn, ErrDeskOnly},
		{"nor what somebody else has", takingBack, "lent jim", selfReturn, ErrDeskOnly},
		{"but borrows", takingBack, "free", selfBorrow, nil},
		{"and renews", takingBack, "lent jane", renew("loan of jane"), nil},
		{"the desk takes back", takingBack, "lent jane", takeBack("loan of jane"), nil},
		{"readers do both by themselves", DefaultPolicy(), "free", selfBorrow, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if _, err := c.ask(situation(t, c.before, c.policy, "jane"), monday); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
		})
	}
	_, err := situation(t, "free", lending, "jane").PlaceHold(monday)
	if diff := cmp.Diff("A copy is available; you can borrow it at the desk.", err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestUndoingAReturn(t *testing.T) {
	t.Parallel()
	back := Loan{ID: "loan before", Book: emma.ref(), CopyID: "copy 1", Borrower: person("jane"), Renewals: 2,
		Since: monday.AddDate(0, 0, -60), Due: monday.AddDate(0, 0, -4), Returned: monday.Add(-UndoTime)}
	altered := func(change func(*Loan)) Loan { l := back; change(&l); return l }
	for _, c := range []struct {
		rule   string
		before string
		last   Loan
		after  string
		err    error
	}{
		{"the loan is open again", "free", back, "lent jane", nil},
		{"a hold that got the copy goes back to its place", "aside jim; kate", back, "lent jane; jim kate", nil},
		{"another copy goes to the first who waits", "aside jim, free", back, "lent jane, aside jim", nil},
		{"what is lost or damaged can still be with the reader", "damaged", back, "damaged lent jane", nil},
		{"after ten minutes it is too late", "free", altered(func(l *Loan) { l.Returned = l.Returned.Add(-time.Microsecond) }), "", ErrTooLate},
		{"a copy that somebody else has stays there", "lent jim", back, "", ErrTooLate},
		{"a copy that somebody else had since stays", "free", altered(func(l *Loan) { l.ID = "loan of jim" }), "", ErrTooLate},
		{"a copy that is gone stays gone", "none", back, "", ErrTooLate},
		{"a copy that is not lent any more stays", "reference", back, "", ErrTooLate},
		{"a forgotten borrower stays forgotten", "free", altered(func(l *Loan) { l.Borrower = Person{} }), "", ErrTooLate},
		{"a copy that was fetched since is for the holder", "aside jim fetched", altered(func(l *Loan) { l.Returned = monday.Add(-time.Hour - time.Second) }), "", ErrTooLate},
		{"nobody has two copies", "free, lent jane", back, "", ErrTooLate},
		{"who waits again keeps the place", "aside jim; jane", back, "", ErrTooLate},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			given := situation(t, c.before, DefaultPolicy(), "jane")
			d, err := given.UndoReturn(back.ID, c.last, monday)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			if got := say(given.apply(d)); got != c.after || d.Happened != BookBorrowed {
				t.Errorf("after it: %s, event %q\n    want: %s", got, d.Happened, c.after)
			}
			if l := d.Loan; !l.Open() || !l.Overdue || !l.Due.Equal(back.Due) || l.Renewals != 2 || !l.Since.Equal(back.Since) {
				t.Errorf("the loan is not as it was: %+v", l)
			}
		})
	}
	if _, err := situation(t, "lent jane", DefaultPolicy(), "jane").UndoReturn("loan of jane", back, monday); !errors.Is(err, ErrNotReturned) {
		t.Errorf("an open loan: error %v, want %v", err, ErrNotReturned)
	}
}

func TestTheCopyThatTheDeskSetAsideIsNotFetchedSince(t *testing.T) {
	t.Parallel()
	lent := situation(t, "lent jane; jim", DefaultPolicy(), "jane")
	back, err := lent.ReturnLoan("loan of jane", true, false, monday)
	if err != nil {
		t.Fatal(err)
	}
	returned := lent.apply(back)
	undone, err := returned.UndoReturn("loan of jane", back.Loan, monday.Add(time.Minute))
	if err != nil || say(returned.apply(undone)) != say(lent) {
		t.Errorf("error %v, after it: %s, want: %s", err, say(returned.apply(undone)), say(lent))
	}
}

func TestUndoingAReturnKeepsTheLimitOfLoans(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	p.MaxLoans = 1
	given := situation(t, "free", p, "jane")
	given.Reader.Loans = 1
	last := Loan{ID: "loan", CopyID: "copy 1", Borrower: person("jane"), Returned: monday}
	if _, err := given.UndoReturn("loan", last, monday); !errors.Is(err, ErrLoanLimit) {
		t.Errorf("error %v, want %v", err, ErrLoanLimit)
	}
}
