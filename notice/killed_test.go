package notice_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/mail"
	"example.org/library/notice"
)

// mortal is the store of a process that is killed: from then on it does nothing.
type mortal struct {
	notice.Store
	dead atomic.Bool
	// inMark kills it when the mark is about to be committed, which then is not.
	inMark bool
	claims int
}

func (s *mortal) MailTx(ctx context.Context, fn func(notice.Tx) error) error {
	if s.dead.Load() {
		panic("killed")
	}
	s.claims++
	return s.Store.MailTx(ctx, func(tx notice.Tx) error {
		err := fn(tx)
		if s.inMark && s.claims == 2 {
			s.dead.Store(true)
			panic("killed")
		}
		return err
	})
}

// killing is a mail server during whose dialogue the process is killed.
type killing struct {
	box  *mailbox
	kill func(m mail.Mail)
}

func (k killing) Open() mail.Session { return k }
func (k killing) Close()             {}
func (k killing) Send(ctx context.Context, m mail.Mail) error {
	k.kill(m)
	return k.box.Send(ctx, m)
}

// killedAt are the steps of sending at which a process is killed.
var killedAt = []string{"before the connection", "after DATA", "before the mark"}

func TestAProcessThatIsKilledLosesNoMailAndSendsNoneMoreThanTwice(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		for round := range testkit.Enough(200) {
			step := killedAt[round%len(killedAt)]
			o.setAside("Emma", o.person(fmt.Sprint("reader", round)))
			o.later(time.Minute)
			o.killedOnce(step)
			o.send()
			o.later(notice.ClaimLasts - time.Second)
			before := len(o.box.mails)
			o.send()
			if len(o.box.mails) != before {
				t.Fatalf("round %d, %s: a mail was sent while somebody else had it", round, step)
			}
			o.later(time.Second)
			o.send()
			o.send()
			ids := map[string]int{}
			for _, m := range o.box.mails {
				ids[m.ID]++
			}
			want := 1
			if step != killedAt[0] {
				want = 2
			}
			if len(ids) != 1 || len(o.box.mails) != want {
				t.Fatalf("round %d, %s: %d mails with %d identifiers, want %d with one", round, step, len(o.box.mails), len(ids), want)
			}
			o.box.mails = nil
		}
		o.wantAllSent()
	})
}

// killedOnce lets a process look for mails that is killed at a step of the first.
func (o *office) killedOnce(step string) {
	o.t.Helper()
	store := &mortal{Store: o.store, inMark: step == "before the mark"}
	carrier := killing{o.box, func(m mail.Mail) {
		switch step {
		case "after the note":
			o.must(m.Before())
			store.dead.Store(true)
			panic("killed")
		case "after DATA":
			o.must(m.Before())
			o.box.mails = append(o.box.mails, m)
			fallthrough
		case "before the connection":
			store.dead.Store(true)
			panic("killed")
		}
	}}
	err := notice.SendOnce(o.ctx, config(notice.New(store, o.service), carrier.Open))
	if err == nil || !store.dead.Load() {
		o.t.Fatalf("the process lives on: %v", err)
	}
}

func (o *office) wantAllSent() {
	o.t.Helper()
	for _, state := range []library.NoticeState{library.NoticeWaiting, library.NoticeDropped, library.NoticeFailed} {
		n, err := o.store.CountNotices(o.ctx, library.NoticeQuery{State: state})
		o.must(err)
		if n != 0 {
			o.t.Errorf("%d notices are %s, and all were to be sent", n, state)
		}
	}
}
