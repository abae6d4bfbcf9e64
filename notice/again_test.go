package notice_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/mail"
	"example.org/library/notice"
	"example.org/library/service"
)

func TestOfAHoldThatIsReadyAgainTheLastTimeIsTold(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane := o.person("jane")
		book := o.setAside("Emma", jane)
		o.later(time.Minute)
		o.box.answer = func(mail.Mail) error { return &mail.Error{Stage: mail.Data, Seen: true} }
		o.look()
		o.box.answer = nil
		o.readyAgain(book)
		for range 3 {
			o.later(time.Minute)
			o.look()
		}
		o.want("a mail that may have come is not sent beside the one about the last time", "jane@example.com Emma")
		o.wantStates("the first time is not true any more", "1 sent, 1 dropped")

		o.box.answer = refuse(mail.Data, 554)
		o.readyAgain(book)
		o.later(time.Minute)
		o.look()
		o.box.answer = nil
		o.readyAgain(book)
		o.later(time.Minute)
		o.look()
		o.want("ready for the fourth time", "jane@example.com Emma")
		list, err := o.store.Notices(o.ctx, library.NoticeQuery{State: library.NoticeFailed})
		o.must(err)
		o.must(testkit.Err(o.service.RetryNotice(o.ctx, o.admin, list[0].ID)))
		o.look()
		o.want("the third time is not told after it")
	})
}

// readyAgain lets a book that is set aside go back into the queue, and be set aside again.
func (o *office) readyAgain(book string) {
	o.t.Helper()
	copies, err := o.store.Copies(o.ctx, book)
	o.must(err)
	for _, state := range []library.CopyState{library.Damaged, library.Lendable} {
		o.later(time.Second)
		o.must(testkit.Err(o.service.EditCopy(o.ctx, o.admin, copies[0].ID, library.CopyFields{State: state}, nil)))
	}
}

func TestAMailThatCannotBeMadeKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(time.Second)
		o.setAside("Persuasion", o.person("jim"))
		o.later(time.Minute)
		cfg := config(o.mails, o.box.Open)
		cfg.Compose = func(id string, now time.Time, to library.User, p library.Policy, items []notice.Item) mail.Mail {
			if to.FirstName == "jane" {
				panic("a fault of the program")
			}
			return compose(id, now, to, p, items)
		}
		if err := notice.SendOnce(o.ctx, cfg); err == nil || !strings.Contains(err.Error(), "a fault of the program") {
			t.Errorf("it is not said: %v", err)
		}
		o.want("the next one goes out", "jim@example.com Persuasion")
		o.later(time.Minute)
		o.look()
		o.want("and it is tried again", "jane@example.com Emma")
	})
}

func TestATrialAddressSaysNothingAboutPeople(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane, jim := o.person("jane"), o.person("jim")
		o.setAside("Emma", jane)
		o.later(time.Minute)
		o.box.answer = refuse(mail.To, 550)
		o.look()
		problem := func(a library.Actor, want bool, rule string) {
			t.Helper()
			u, err := o.service.User(o.ctx, o.admin, a.User.ID)
			o.must(err)
			if (u.MailProblem != nil) != want {
				t.Errorf("%s: %+v", rule, u.MailProblem)
			}
		}
		problem(jane, true, "an address is refused")
		o.serve(service.New(o.store, service.WithClock(o.now), service.WithMail(library.MailSettings{From: "library@example.org", Diverted: true})))
		o.setAside("Persuasion", jim)
		o.later(time.Minute)
		o.look()
		problem(jim, false, "the trial address is refused, and that is not the reader's")
		o.box.answer = nil
		o.setAside("Sanditon", jane)
		o.later(time.Minute)
		o.look()
		o.want("whose address is refused is shown at the trial address", "jane@example.com Sanditon")
		problem(jane, true, "and the address is not good because of that")
	})
}

func TestAMailAboutAHoldThatExpiredNamesTheDay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane")) // until the 9th of March
		o.later(8 * 24 * time.Hour)
		o.look()
		if len(o.box.mails) != 1 || !strings.Contains(o.box.mails[0].Text, "Was set aside for you until Monday, 9\u00a0March") {
			t.Errorf("got %+v", o.box.mails)
		}
	})
}

func TestNobodyIsToldToFetchABookAfterItsLastDay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(time.Duration(library.DefaultPolicy().HoldDays+1) * 24 * time.Hour)
		o.send() // before the housekeeping has ended the hold
		o.want("too late to fetch it")
		o.look()
		o.want("it has expired", "jane@example.com Emma")
		o.wantStates("of the two", "1 sent, 1 dropped")
	})
}

// oneConnection is a store of which all connections are in use but that of a transaction.
type oneConnection struct{ library.Store }

func (oneConnection) Outbox(context.Context) (library.Outbox, error) {
	return library.Outbox{}, errors.New("no connection is free")
}

func TestANoticeIsRetriedWithOneConnection(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(time.Minute)
		o.box.answer = refuse(mail.To, 550)
		o.look()
		failed, err := o.store.Notices(o.ctx, library.NoticeQuery{State: library.NoticeFailed})
		o.must(err)
		testkit.Equal(t, len(failed), 1, "failed")
		again, err := o.newService(oneConnection{o.store}, "library@example.org").RetryNotice(o.ctx, o.admin, failed[0].ID)
		o.must(err)
		testkit.Equal(t, again.State, library.NoticeWaiting)
	})
}
