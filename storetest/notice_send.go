package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/storetest/fixture"
)

// dueMail is a library with a mail to send: somebody's loan is due soon.
func dueMail(t *testing.T, f fixture.Store) *postOffice {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	_, err := p.service.Borrow(p.Ctx, p.readers[0], p.book("Emma"))
	p.must(err)
	p.keepHouse()
	return p
}

// repeating is a store that runs every change twice, like a database after a conflict.
type repeating struct{ notice.Store }

func (s repeating) MailTx(ctx context.Context, fn func(notice.Tx) error) error {
	undone := errors.New("the first time comes to nothing")
	err := s.Store.MailTx(ctx, func(tx notice.Tx) error { return errors.Join(fn(tx), undone) })
	if !errors.Is(err, undone) {
		return err
	}
	return s.Store.MailTx(ctx, fn)
}

func anAttemptCountsOnce(t *testing.T, f fixture.Store) {
	p := dueMail(t, f)
	p.mails = notice.New(repeating{f.Mails}, p.service)
	for i, pause := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		failed := notice.Outcome{Failure: &library.MailFailure{Stage: "rcpt", Code: 451}}
		p.must(p.mails.End(p.Ctx, p.claim("me"), failed))
		list, err := p.Notices(p.Ctx, library.NoticeQuery{})
		p.must(err)
		if n := list[0]; n.Attempts != i+1 || !n.NextAttempt.Equal(p.now.Add(pause)) {
			t.Errorf("after %d attempts it says %d, and that the next is after %s", i+1, n.Attempts, n.NextAttempt.Sub(p.now))
		}
		p.now = p.now.Add(pause)
	}
}

func severalSendersSendOnce(t *testing.T, f fixture.Store) {
	const people = 24
	p := newPostOfficeOf(t, f, people)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	for i, reader := range p.readers {
		_, err := p.service.Borrow(p.Ctx, reader, p.book(fmt.Sprint("Book ", i)))
		p.must(err)
	}
	p.keepHouse()
	var mu sync.Mutex
	told := map[string]int{} // by notice
	var all sync.WaitGroup
	for sender := range 4 { // each takes itself for the only one
		all.Go(func() {
			for {
				m, err := p.mails.Claim(p.Ctx, fmt.Sprint("sender ", sender))
				if err != nil {
					t.Error(err)
				}
				if m == nil {
					return
				}
				mu.Lock()
				for _, n := range m.Subjects {
					told[n.ID]++
				}
				mu.Unlock()
				if err := p.mails.End(p.Ctx, m, notice.Outcome{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for id, n := range told {
		if n != 1 {
			t.Errorf("notice %s went out in %d mails", id, n)
		}
	}
	fixture.WantEqual(t, len(told), people)
}
