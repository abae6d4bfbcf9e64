package notice_test

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/mail"
)

// Nothing runs for three days, also after an attempt that has failed or a process that was killed. Then everybody gets
// one mail with all that is still true, and nobody is told of a day that has passed.
func TestAfterAStandstillEverybodyGetsOneMailWithAllThatIsTrue(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		p := library.DefaultPolicy()
		p.DueSoonDays, p.OverdueDays, p.HoldDays = 2, []int{1, 2, 14}, 10
		o.must(testkit.Err(o.service.SetPolicy(o.ctx, o.admin, p, nil)))
		tried, killed, idle, gone := o.person("tried"), o.person("killed"), o.person("idle"), o.person("gone")
		o.lend("Emma", tried)
		o.lend("Sanditon", killed)
		o.lend("Persuasion", idle)
		o.lend("Lady Susan", idle)
		back := o.lend("Mansfield Park", gone)
		o.later(time.Duration(p.LoanDays)*24*time.Hour - 24*time.Hour)
		o.setAside("Northanger Abbey", tried)
		o.later(time.Minute)
		o.box.answer = refuse(mail.To, 451)
		o.look() // all fail, and are to be tried again
		o.box.answer = nil
		o.later(time.Minute)
		o.must(testkit.Err(o.service.RunHousekeeping(o.ctx)))
		o.killedOnce("before the connection")
		o.want("so far nobody has got anything")
		o.must(testkit.Err(o.service.ReturnLoan(o.ctx, gone, back)))

		o.later(3 * 24 * time.Hour)
		for range 3 {
			o.look()
			o.later(time.Minute)
		}
		o.want("one mail for each, with the highest value that has passed",
			"tried@example.com Emma and 1 more", "killed@example.com Sanditon", "idle@example.com Lady Susan and 1 more")
		overdue, err := o.store.Notices(o.ctx, library.NoticeQuery{State: library.NoticeSent, Kind: library.NoticeOverdue})
		o.must(err)
		for _, n := range overdue {
			testkit.Equal(t, n.Value, 2, n.Book.Title)
		}
		testkit.Equal(t, len(overdue), 4, "overdue")
		due, err := o.store.CountNotices(o.ctx, library.NoticeQuery{State: library.NoticeDropped, Kind: library.NoticeDueSoon})
		o.must(err)
		testkit.Equal(t, due, 5, "what was due soon, and is so no longer")
	})
}
