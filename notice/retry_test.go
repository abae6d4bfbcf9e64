package notice_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/mail"
	"example.org/library/notice"
)

// unanswered is a mail server that takes a mail, and does not say so in time.
func unanswered(b *mailbox) func(mail.Mail) error {
	return func(m mail.Mail) error {
		if err := m.Before(); err != nil {
			return &mail.Error{Stage: mail.Data, Err: err}
		}
		b.mails = append(b.mails, m)
		return &mail.Error{Stage: mail.Data, Seen: true}
	}
}

func TestAServerThatAnswersTooLateGetsAMailTwice(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.box.answer = unanswered(o.box)
		for range 6 {
			o.later(5 * time.Minute)
			o.look()
		}
		if len(o.box.mails) != 2 || o.box.mails[0].ID != o.box.mails[1].ID {
			t.Errorf("there are %d mails, want the same twice", len(o.box.mails))
		}
		o.wantStates("an admin sees that nobody knows", "1 failed")
	})
}

func TestAMailThatIsRefusedAfterItsEndWasNotSeen(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		for _, answer := range []func(mail.Mail) error{unanswered(o.box), func(m mail.Mail) error {
			o.must(m.Before())
			return refuse(mail.Data, 451)(m)
		}, func(m mail.Mail) error {
			o.must(m.Before())
			return refuse(mail.Data, 452)(m)
		}} {
			o.box.answer = answer
			o.later(15 * time.Minute)
			o.look()
		}
		o.box.answer, o.box.mails = nil, nil
		o.later(15 * time.Minute)
		o.look()
		o.want("it has come once at most, so it is sent", "jane@example.com Emma")
	})
}

func TestAProcessThatIsKilledAgainAndAgainSendsAMailTwice(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(time.Minute)
		for range 2 {
			o.killedOnce("after DATA")
			o.later(notice.ClaimLasts)
		}
		o.send()
		if len(o.box.mails) != 2 {
			t.Errorf("there are %d mails, want 2", len(o.box.mails))
		}
		o.wantStates("it was sent", "1 sent")
	})
}

// The documentation names this as the one way in which somebody misses a mail.
func TestAMailWhoseEndWasNotedTwiceCountsAsSent(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(time.Minute)
		o.killedOnce("after the note")
		o.later(notice.ClaimLasts)
		o.killedOnce("after the note")
		o.later(notice.ClaimLasts)
		o.send()
		o.want("a mailbox may have it twice by now")
		o.wantStates("so it is not sent again", "1 sent")
	})
}

func TestAMailThatNoServerHasSeenTakesInWhatIsNew(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane := o.person("jane")
		o.setAside("Emma", jane)
		o.later(time.Minute)
		o.killedOnce("before the connection")
		o.setAside("Persuasion", jane)
		o.later(time.Minute)
		o.look()
		o.want("one mail after a standstill", "jane@example.com Emma and 1 more")
	})
}

// longHolds lets holds wait for a month.
func (o *office) longHolds() {
	o.t.Helper()
	p := library.DefaultPolicy()
	p.HoldDays = 30
	o.must(testkit.Err(o.service.SetPolicy(o.ctx, o.admin, p, nil)))
}

func TestWhatJoinsAMailHasTwoDaysOfItsOwn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.longHolds()
		jane := o.person("jane")
		o.setAside("Emma", jane)
		o.box.answer = refuse(mail.To, 451)
		hours := func(n int) {
			for range n {
				o.later(2 * time.Hour)
				o.look()
			}
		}
		hours(14)
		o.setAside("Persuasion", jane)
		hours(14)
		o.wantStates("the first has failed", "1 waiting, 1 failed")
		hours(10)
		o.wantStates("the second has another day", "1 waiting, 1 failed")
		hours(1)
		o.wantStates("and no more", "2 failed")
	})
}

func TestAStandstillUsesUpNoTimeOfAMail(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.longHolds()
		jane := o.person("jane")
		o.setAside("Emma", jane)
		o.later(time.Minute)
		o.box.answer = refuse(mail.To, 451)
		o.look()
		o.later(3 * 24 * time.Hour)
		o.look()
		o.wantStates("it is tried further", "1 waiting")
		list, err := o.store.Notices(o.ctx, library.NoticeQuery{})
		o.must(err)
		if n := list[0]; n.Attempts != 2 || !n.NextAttempt.Equal(o.now().Add(5*time.Minute)) {
			t.Errorf("after %d attempts it waits for %s", n.Attempts, n.NextAttempt.Sub(o.now()))
		}
	})
}

func TestWhatIsTriedAgainKeepsNoNewMailWaiting(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		for i := range 6 {
			o.setAside("Emma", o.person(fmt.Sprint("old", i)))
		}
		o.box.answer = refuse(mail.To, 451)
		o.later(time.Minute)
		o.look()
		o.setAside("Persuasion", o.person("new"))
		o.later(time.Hour)
		var order []string
		o.box.answer = func(m mail.Mail) error {
			order = append(order, m.To.Address)
			return refuse(mail.To, 451)(m)
		}
		o.look()
		if len(order) != 7 || order[0] != "new@example.com" && order[1] != "new@example.com" {
			t.Errorf("they were tried in the order %q", order)
		}
	})
}

func TestALongTurnEndsAndGoesOnAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, empty.SQLite(t))
	for i := range 3 {
		o.setAside("Emma", o.person(fmt.Sprint("reader", i)))
	}
	o.later(time.Minute)
	sessions := 0
	registry := prometheus.NewRegistry()
	cfg := config(o.mails, func() mail.Session {
		if sessions++; sessions == 2 {
			testkit.Equal(t, gauges(t, registry), " hold_ready sent 1, hold_ready waiting 2,_oldest_waiting_seconds 60", "counted after a turn")
		}
		return o.box
	})
	cfg.Metrics = registry
	o.must(notice.SendInTurns(o.ctx, cfg, time.Nanosecond))
	if sessions != 4 || len(o.box.mails) != 3 {
		t.Errorf("it had %d turns for %d mails, want one for each and one that finds nothing", sessions, len(o.box.mails))
	}
}

func TestAMailServerThatFailsIsLeftAloneInAllTurns(t *testing.T) {
	t.Parallel()
	o := newOffice(t, empty.SQLite(t))
	for i := range 12 {
		o.setAside("Emma", o.person(fmt.Sprint("reader", i)))
	}
	o.later(time.Minute)
	attempts := 0
	o.box.answer = func(m mail.Mail) error { attempts++; return refuse(mail.Auth, 535)(m) }
	o.must(notice.SendInTurns(o.ctx, config(o.mails, o.box.Open), time.Nanosecond))
	testkit.Equal(t, attempts, 10, "attempts")
}
